import { Group, Kbd, Modal, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { MOD } from './keyboard'

export function ShortcutSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  const rows: [string, string[]][] = [
    [t('shortcut.palette'), [MOD, 'K']],
    [t('shortcut.home'), ['g', 'h']],
    [t('shortcut.model'), ['g', 'm']],
    [t('shortcut.explorer'), ['g', 'e']],
    [t('shortcut.profile'), ['g', 'p']],
    [t('shortcut.settings'), ['g', 's']],
    [t('shortcut.sidebar'), ['[']],
    [t('shortcut.search'), ['/']],
    [t('shortcut.create'), ['c']],
    [t('shortcut.rows'), ['j', 'k']],
    [t('shortcut.select'), ['x']],
    [t('shortcut.open'), ['Enter']],
    [t('shortcut.save'), [MOD, 'S']],
    [t('shortcut.publish'), [MOD, 'Shift', 'P']],
    [t('shortcut.undo'), [MOD, 'Z']],
    [t('shortcut.redo'), [MOD, 'Shift', 'Z']],
    [t('shortcut.order'), ['Space', '↑', '↓', 'Space']],
    [t('shortcut.blockMove'), ['Alt', '↑', '↓']],
    [t('shortcut.blockMenu'), ['Alt', 'F10']],
    [t('shortcut.sheet'), ['?']],
  ]
  return (
    <Modal opened={opened} onClose={onClose} title={t('shell.shortcuts')} size="md" closeButtonProps={{ 'aria-label': t('action.close') }}>
      <Stack gap={8}>
        {rows.map(([label, pressed]) => (
          <Group key={label} justify="space-between" wrap="nowrap">
            <Text size="sm">{label}</Text>
            <Group gap={4} wrap="nowrap">
              {pressed.map((key, index) => (
                <Kbd key={index} size="xs">{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    </Modal>
  )
}
