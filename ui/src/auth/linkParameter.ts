/** A query parameter of the page's address, such as the token of an invitation. */
export const linkParameter = (name: string): string => new URLSearchParams(location.search).get(name) ?? ''
