import '@fontsource-variable/inter'
import './signIn.css'
import './main.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError, useSession } from './api/client'
import { startTranslations } from './i18n'
import { queries } from './queries'
import { router } from './router'
import { addMissingClipboard } from './shell/clipboard'
import { returnLostFocus } from './shell/focus'
import { loadSignedIn } from './shell/loadSignedIn'
import { resolver, theme } from './theme'

await startTranslations()
returnLostFocus()
addMissingClipboard()

const SessionDialog = lazy(async () => ({ default: (await loadSignedIn()).SessionDialog }))

/** The dialog to sign in again, for those who were signed in. */
function SessionEnd() {
  const status = useSession((session) => session.status)
  if (status !== 'signed-in' && status !== 'expired') return null
  return <Suspense><SessionDialog /></Suspense>
}

// What a server refuses is shown with its request; the console is for mistakes of this code.
const onCaughtError = (error: unknown) => error instanceof ApiError || console.error(error)

document.getElementById('first')?.remove()
createRoot(document.getElementById('root')!, { onCaughtError }).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={resolver} defaultColorScheme="auto">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <SessionEnd />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
