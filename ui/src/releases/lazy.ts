import { lazy } from 'react'
import { withTexts } from '../i18n'

/** Dialogs whose code and texts come when they are opened. */
export const AddToRelease = lazy(withTexts(['releases'], () => import('./AddToRelease')))
export const ScheduleEntry = lazy(withTexts(['releases'], () => import('./ScheduleEntry')))
