import { lazy } from 'react'
import { withTexts } from '../i18n'

/** The dialog, whose code and texts come when it is opened. */
export const AddToRelease = lazy(withTexts('releases', () => import('./AddToRelease')))
