import { Box, type BoxProps } from '@mantine/core'
import { useState, type ReactNode } from 'react'

/** An area that takes files which are dropped or pasted. */
export function FileDrop({ onFiles, disabled, children, ...box }: BoxProps & { onFiles: (files: File[]) => void; disabled?: boolean; children: ReactNode }) {
  const [over, setOver] = useState(false)
  const take = (list: FileList | undefined) => {
    const files = Array.from(list ?? [])
    if (files.length > 0 && !disabled) onFiles(files)
    return files.length > 0
  }
  return (
    <Box
      {...box}
      data-over={over || undefined}
      onDragOver={(event) => {
        if (disabled || !event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (take(event.dataTransfer.files)) event.preventDefault()
      }}
      onPaste={(event) => {
        if (take(event.clipboardData.files)) event.preventDefault()
      }}
    >
      {children}
    </Box>
  )
}
