import { Image } from 'lucide-react'
import type { FieldBuilder } from '../builder'

export const media: FieldBuilder = {
  icon: Image,
  color: 'grape',
  label: 'type.media',
  use: 'type.media.use',
  initial: { type: 'media', multiple: false, allowedTypes: ['images', 'files', 'videos', 'audios'] },
  options: ['media'],
  example: (properties) => (properties.multiple ? [{ id: 1, url: '/uploads/tide.jpg' }] : { id: 1, url: '/uploads/tide.jpg' }),
  query: (name) => `?populate=${name}`,
}
