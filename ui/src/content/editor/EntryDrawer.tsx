import { ActionIcon, Drawer, Group, Tooltip } from '@mantine/core'
import { ExternalLink } from 'lucide-react'
import { Suspense, useCallback, useEffect, useEffectEvent, useMemo, useRef, useState, type RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import { useModel } from '../../api/hooks'
import type { Entry } from '../../api/types'
import { Loading } from '../../components/States'
import { EntryEditor } from './EntryEditor'
import { useTopLevel } from './layers'
import type { Place } from './place'
import type { Values } from './store'

type Props = {
  uid: string
  /** `create` for an entry that is new. */
  documentId: string
  locale: string | undefined
  given?: Values
  /** The level of the form that the drawer opens above. */
  above: number
  onClose: () => void
  onSaved: (entry: Entry) => void
  onDeleted: () => void
}

/** Another entry in a drawer above the form: edited, saved and published there, drawers above it included. */
export default function EntryDrawer({ uid, documentId, locale, given, above, onClose, onSaved, onDeleted }: Props) {
  const { t } = useTranslation()
  const type = useModel().types.get(uid)
  const level = above + 1
  const [shown, setShown] = useState<{ documentId: string | null; locale: string | undefined }>({ documentId, locale })
  const mayClose = useRef<(() => boolean) | null>(null)
  const guard = useCallback((asked: (() => boolean) | null) => {
    mayClose.current = asked
  }, [])
  const place: Place = useMemo(
    () => ({
      level,
      compare: null,
      open: ({ documentId, locale }) => setShown({ documentId, locale }),
      leave: () => {
        onDeleted()
        onClose()
      },
      drawer: { close: onClose, guard },
    }),
    [level, guard, onClose, onDeleted],
  )
  useEffect(() => {
    useTopLevel.setState({ top: level })
    return () => useTopLevel.setState({ top: above })
  }, [level, above])
  const close = () => {
    if (!mayClose.current || mayClose.current()) onClose()
  }
  const content = useRef<HTMLDivElement>(null)
  useEscape(level, content, close)
  if (!type) return null
  const isNew = shown.documentId === 'create'
  const search = shown.locale ? `?locale=${shown.locale}` : ''
  const address = type.kind === 'singleType' ? `/admin/content/${uid}${search}` : `/admin/content/${uid}/${shown.documentId}${search}`
  return (
    <Drawer.Root
      opened
      onClose={close}
      position="right"
      size={`min(${960 - level * 40}px, calc(100vw - ${Math.min(level, 4) * 16}px))`}
      // Only the drawer on top closes, see `useEscape`.
      closeOnEscape={false}
      zIndex={150 + level}
      transitionProps={{ duration: 120 }}
    >
      <Drawer.Overlay backgroundOpacity={0.35} />
      <Drawer.Content ref={content}>
        <Drawer.Header py={8} px={{ base: 'sm', sm: 'lg' }} mih={44}>
          <Drawer.Title fz="sm" fw={600}>
            {t(isNew ? 'drawer.create' : 'drawer.edit', { type: type.info.displayName })}
          </Drawer.Title>
          <Group gap={4}>
            {!isNew && (
              <Tooltip label={t('drawer.newTab')}>
                <ActionIcon component="a" href={address} target="_blank" aria-label={t('drawer.newTab')}><ExternalLink size={15} /></ActionIcon>
              </Tooltip>
            )}
            <Drawer.CloseButton aria-label={t('action.close')} />
          </Group>
        </Drawer.Header>
        <Drawer.Body p={0} className="quire-drawer-body">
          <Suspense fallback={<Loading rows={6} height={56} />}>
            <EntryEditor type={type} documentId={shown.documentId} locale={shown.locale} place={place} given={given} onSaved={onSaved} />
          </Suspense>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

/**
 * Close the drawer on top by Escape, unless the key is for something in it: a menu, a list of options, a part that is
 * dragged. What it is for is to be seen before it arrives there.
 */
function useEscape(level: number, content: RefObject<HTMLElement | null>, close: () => void) {
  const onEscape = useEffectEvent(close)
  useEffect(() => {
    let isForDrawer = false
    const look = (event: globalThis.KeyboardEvent) => {
      const target = event.target as HTMLElement
      isForDrawer =
        event.key === 'Escape' &&
        !event.isComposing &&
        useTopLevel.getState().top === level &&
        (target === document.body || content.current?.contains(target) === true) &&
        target.getAttribute('data-mantine-stop-propagation') !== 'true' &&
        target.getAttribute('aria-expanded') !== 'true' &&
        target.getAttribute('aria-pressed') !== 'true'
    }
    const act = () => {
      if (isForDrawer) onEscape()
    }
    window.addEventListener('keydown', look, true)
    window.addEventListener('keydown', act)
    return () => {
      window.removeEventListener('keydown', look, true)
      window.removeEventListener('keydown', act)
    }
  }, [level, content])
}
