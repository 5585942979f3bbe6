
/** The screens of the model builder that are loaded together. */
export { ArchiveScreen } from './ArchiveScreen'
export { ModelHome } from './ModelHome'
export { ModelLayout } from './ModelLayout'
export { TypeScreen } from './TypeScreen'
