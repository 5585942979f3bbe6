import { create } from 'zustand'

/** The level of the form on top: 0 for that of the page, more with each drawer above it. */
export const useTopLevel = create<{ top: number }>(() => ({ top: 0 }))
