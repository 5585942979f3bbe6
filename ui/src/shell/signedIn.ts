// What people see once they are signed in: the pages before that load nothing of it.
import '../i18n/signedInEnglish'
import './styles'

export { SessionDialog } from '../auth/SessionDialog'
export { Home } from '../home/Home'
export { Shell } from './Shell'
