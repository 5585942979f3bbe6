/** A parameter of the link that led here. */
export const linkParameter = (name: string): string => new URLSearchParams(location.search).get(name) ?? ''
