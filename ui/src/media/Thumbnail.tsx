import { Center } from '@mantine/core'
import { File, FileAudio, FileVideo } from 'lucide-react'
import type { MediaFile } from '../api/types'
import { thumbnailOf } from './files'

export function Thumbnail({ file, size = 22 }: { file: MediaFile; size?: number }) {
  const address = thumbnailOf(file)
  if (address) return <img className="quire-thumbnail" src={address} alt="" loading="lazy" draggable={false} />
  const Icon = file.mime.startsWith('video/') ? FileVideo : file.mime.startsWith('audio/') ? FileAudio : File
  return (
    <Center h="100%">
      <Icon size={size} color="var(--mantine-color-dimmed)" />
    </Center>
  )
}
