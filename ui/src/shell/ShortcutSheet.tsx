import { Box, Group, Kbd, Modal, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { keyName } from './keyboard'

/** The keys of each shortcut, by where they work. */
const SHORTCUTS = {
  everywhere: {
    palette: ['Mod', 'K'],
    home: ['g', 'h'],
    model: ['g', 'm'],
    explorer: ['g', 'e'],
    profile: ['g', 'p'],
    settings: ['g', 's'],
    sidebar: ['['],
    close: ['Esc'],
    sheet: ['?'],
  },
  list: {
    search: ['/'],
    create: ['c'],
    rows: ['j', 'k'],
    open: ['Enter'],
    select: ['x'],
    bulkEdit: ['e'],
    bulkDelete: ['#'],
  },
  entry: {
    save: ['Mod', 'S'],
    publish: ['Mod', 'Shift', 'P'],
    undo: ['Mod', 'Z'],
    redo: ['Mod', 'Shift', 'Z'],
    locale: ['Alt', '1–9'],
    compare: ['Mod', '\\'],
    inspector: ['Mod', '.'],
    order: ['Space', '↑', '↓', 'Space'],
    blockMove: ['Alt', '↑', '↓'],
    blockMenu: ['Alt', 'F10'],
  },
  other: {
    addField: ['c'],
    send: ['Mod', 'Enter'],
  },
} as const

export function ShortcutSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Modal opened={opened} onClose={onClose} title={t('shell.shortcuts')} size={720} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={32} verticalSpacing="md">
        {[['everywhere', 'list'] as const, ['entry', 'other'] as const].map((column) => (
          <Stack key={column[0]} gap="md">
            {column.map((area) => (
              <Box key={area} component="section" aria-label={t(`shortcuts.${area}`)}>
                <Title order={3} fz="sm" mb={6}>{t(`shortcuts.${area}`)}</Title>
                <Stack gap={6} component="dl" m={0}>
                  {Object.entries<readonly string[]>(SHORTCUTS[area]).map(([name, pressed]) => (
                    <Group key={name} justify="space-between" wrap="nowrap">
                      <Text size="sm" component="dt">{t(`shortcut.${name}`)}</Text>
                      <Group gap={4} wrap="nowrap" component="dd" m={0}>
                        {pressed.map((key, index) => (
                          <Kbd key={index} size="xs">{keyName(key)}</Kbd>
                        ))}
                      </Group>
                    </Group>
                  ))}
                </Stack>
              </Box>
            ))}
          </Stack>
        ))}
      </SimpleGrid>
    </Modal>
  )
}
