import { Button, Group, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Eye } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useViewAs } from '../api/viewAs'

/** Says that the UI is shown as a role sees it, and what that does not cover. */
export function ViewAsBar() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const role = useViewAs((state) => state.role)
  if (!role) return null
  const stop = () => {
    useViewAs.setState({ role: null })
    void navigate({ to: '/settings/roles/$id', params: { id: String(role.id) } })
  }
  return (
    <Group className="quire-view-as" px="md" py={6} gap="xs" wrap="nowrap" role="status">
      <Eye size={15} style={{ flexShrink: 0 }} aria-hidden />
      <Text size="xs" c="inherit" style={{ flex: 1 }}>
        <Text span inherit fw={600}>{t('viewAs.banner', { role: role.name })}</Text> {t('viewAs.meaning')}
      </Text>
      <Button size="compact-xs" variant="white" style={{ flexShrink: 0 }} onClick={stop}>{t('viewAs.stop')}</Button>
    </Group>
  )
}
