import { ActionIcon, Button, Group, Menu, Modal, Text, TextInput, Tooltip } from '@mantine/core'
import { Bookmark, History, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useModel } from '../api/hooks'
import { RelativeTime } from '../components/RelativeTime'
import { addressOf, type Draft } from './request'
import type { useStoredRequests } from './store'

type Props = { kept: ReturnType<typeof useStoredRequests>; draft: Draft; onOpen: (draft: Draft) => void }

/** Requests that were sent before, and those saved under a name. */
export function RequestMenus({ kept, draft, onOpen }: Props) {
  const { t } = useTranslation()
  const { types } = useModel()
  const [naming, setNaming] = useState(false)
  const textOf = (one: Draft) => {
    const type = types.get(one.uid)
    return type ? decodeURIComponent(addressOf(type, one).slice(location.origin.length)) : one.uid
  }
  return (
    <Group gap="xs">
      <Menu position="bottom-end" width={380} withinPortal>
        <Menu.Target><Button variant="default" leftSection={<History size={14} />} disabled={kept.history.length === 0}>{t('explorer.history')}</Button></Menu.Target>
        <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }} maw="94vw">
          {kept.history.map((sent, index) => (
            <Menu.Item key={index} disabled={!types.has(sent.draft.uid)} onClick={() => onOpen(sent.draft)}>
              <Text size="xs" className="quire-ellipsis">{t(`explorer.action.${sent.draft.action}`)} {textOf(sent.draft)}</Text>
              <Text size="xs" c="dimmed">{sent.status} · <RelativeTime at={sent.at} /></Text>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={kept.clear}>{t('explorer.clearHistory')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Menu position="bottom-end" width={300} withinPortal>
        <Menu.Target><Button variant="default" leftSection={<Bookmark size={14} />}>{t('explorer.saved')}</Button></Menu.Target>
        <Menu.Dropdown mah="60vh" style={{ overflowY: 'auto' }}>
          {kept.saved.map(({ name, draft: known }) => (
            <Group key={name} gap={4} wrap="nowrap">
              <Menu.Item disabled={!types.has(known.uid)} onClick={() => onOpen(known)} miw={0}><Text size="sm" className="quire-ellipsis">{name}</Text></Menu.Item>
              <Tooltip label={t('action.delete')}>
                <ActionIcon size="sm" aria-label={t('explorer.forget', { name })} onClick={() => kept.forget(name)}><X size={13} /></ActionIcon>
              </Tooltip>
            </Group>
          ))}
          {kept.saved.length > 0 && <Menu.Divider />}
          <Menu.Item onClick={() => setNaming(true)}>{t('explorer.save')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {naming && <NameDialog onClose={() => setNaming(false)} onSave={(name) => kept.save(name, draft)} />}
    </Group>
  )
}

function NameDialog({ onClose, onSave }: { onClose: () => void; onSave: (name: string) => void }) {
  const { t } = useTranslation()
  const [name, setName] = useState('')
  return (
    <Modal opened onClose={onClose} title={t('explorer.save')} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!name.trim()) return
          onSave(name.trim())
          onClose()
        }}
      >
        <TextInput label={t('explorer.name')} description={t('explorer.nameHint')} required withAsterisk={false} data-autofocus value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <Group justify="flex-end" gap="xs" mt="md">
          <Button variant="default" onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit">{t('action.save')}</Button>
        </Group>
      </form>
    </Modal>
  )
}
