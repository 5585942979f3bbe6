import { withTexts } from '../i18n'

/** Load what people see once they are signed in, with its texts. */
export const loadSignedIn = withTexts(['activity', 'content', 'explorer', 'fields', 'media'], () => import('./signedIn'))
