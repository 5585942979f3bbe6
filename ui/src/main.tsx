import '@fontsource-variable/inter'
import '@mantine/core/styles.css'
import '@mantine/dates/styles.css'
import '@mantine/notifications/styles.css'
import '@mantine/spotlight/styles.css'
import './main.css'
// What is loaded later comes before the other stylesheets, whose values it could not replace.
import './model/model.css'
import { MantineProvider } from '@mantine/core'
import { DatesProvider } from '@mantine/dates'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { useTranslation } from 'react-i18next'
import { ApiError } from './api/client'
import { SessionDialog } from './auth/SessionDialog'
import { startTranslations } from './i18n'
import { queries } from './queries'
import { router } from './router'
import { provideClipboard } from './shell/clipboard'
import { returnFocusFromLayers } from './shell/focus'
import { resolver, theme } from './theme'

await startTranslations()
returnFocusFromLayers()
provideClipboard()

/** Calendars in the language of the UI; weeks begin on Monday, but for English on Sunday. */
function Dates({ children }: { children: ReactNode }) {
  const { language } = useTranslation().i18n
  return <DatesProvider settings={{ locale: language, firstDayOfWeek: language === 'en' ? 0 : 1 }}>{children}</DatesProvider>
}

// What a server refuses is shown with its request; the console is for mistakes of this code.
const onCaughtError = (error: unknown) => error instanceof ApiError || console.error(error)

document.getElementById('first')?.remove()
createRoot(document.getElementById('root')!, { onCaughtError }).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <Dates>
          <ModalsProvider>
            <Notifications position="bottom-right" limit={4} />
            <RouterProvider router={router} />
            <SessionDialog />
          </ModalsProvider>
        </Dates>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
