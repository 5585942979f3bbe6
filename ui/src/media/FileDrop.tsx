import { Box, type BoxProps } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from '../components/toast'

type Props = BoxProps & {
  onFiles: (files: File[]) => void
  /** Whether the role may not upload: files are refused with the reason. */
  disabled?: boolean
  /** Whether files are taken that are pasted anywhere in the page, not only into the area. */
  pasteAnywhere?: boolean
  children: ReactNode
}

/** An area that takes files which are dropped or pasted. */
export function FileDrop({ onFiles, disabled, pasteAnywhere = false, children, ...box }: Props) {
  const { t } = useTranslation()
  const [over, setOver] = useState(false)
  const take = (list: FileList | undefined) => {
    const files = Array.from(list ?? [])
    if (files.length > 0 && disabled) toast(t('media.noUpload'))
    else if (files.length > 0) onFiles(files)
    return files.length > 0
  }
  useWindowEvent('paste', (event) => {
    if (pasteAnywhere && take(event.clipboardData?.files)) event.preventDefault()
  })
  return (
    <Box
      {...box}
      data-over={over || undefined}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(!disabled)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (take(event.dataTransfer.files)) event.preventDefault()
      }}
      onPaste={(event) => {
        if (!pasteAnywhere && take(event.clipboardData.files)) event.preventDefault()
      }}
    >
      {children}
    </Box>
  )
}
