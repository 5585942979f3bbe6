import { modals } from '@mantine/modals'
import { Skeleton } from '@mantine/core'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'
import type { MediaFile } from '../api/types'
import { t } from '../i18n'

// Unlike `lazy` of React, it shows code that has been fetched at once: a placeholder would stay for 300 ms.
const MediaBrowser = lazyRouteComponent(() => import('./MediaBrowser'), 'MediaBrowser')

/** Fetch the code of the dialog before it is opened. */
export const preloadMediaDialog = (): void => void MediaBrowser.preload?.()

export type MediaChoice = {
  multiple: boolean
  allowedTypes?: string[] | null
  onSelect: (files: MediaFile[]) => void
}

/** Let somebody choose files of the media library, or upload some. */
export function openMediaDialog({ multiple, allowedTypes, onSelect }: MediaChoice): void {
  const id = modals.open({
    title: multiple ? t('media.chooseMany') : t('media.chooseOne'),
    size: 'min(1080px, 96vw)',
    // Whoever has chosen goes on in the form, which the closing dialog would cover.
    transitionProps: { duration: 120, exitDuration: 0 },
    closeButtonProps: { 'aria-label': t('action.close') },
    children: (
      <Suspense fallback={<Skeleton height={420} />}>
        <MediaBrowser
          multiple={multiple}
          allowedTypes={allowedTypes}
          onSelect={(files) => {
            modals.close(id)
            onSelect(files)
          }}
        />
      </Suspense>
    ),
  })
}
