import { Boxes, Plus } from 'lucide-react'
import type { TFunction } from 'i18next'
import type { ContentType } from '../api/types'
import type { Command } from '../shell/Palette'
import type { NewKind } from './NewModelDialog'

/** What the palette offers of the model. */
export function modelCommands(t: TFunction, isAllowed: boolean, types: ContentType[], open: (to: string, search?: { new: NewKind }) => void): Command[] {
  if (!isAllowed) return []
  return [
    { id: 'model', label: t('nav.model'), icon: Boxes, run: () => open('/model') },
    { id: 'model diagram', label: t('model.diagram'), icon: Boxes, run: () => open('/model/diagram') },
    ...(['collectionType', 'singleType', 'component'] as const).map((kind) => ({
      id: `new model ${kind}`,
      label: t(`model.new.${kind}`),
      icon: Plus,
      run: () => open('/model', { new: kind }),
    })),
    ...types.map((type) => ({
      id: `model ${type.uid}`,
      label: t('model.edit', { name: type.info.displayName }),
      hint: t('nav.model'),
      icon: Boxes,
      run: () => open(`/model/${type.uid}`),
    })),
  ]
}
