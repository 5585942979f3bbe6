import { Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { keys } from '../api/keys'
import { forgetRemoved, removedQuery, restoreRemoved, type Removed } from '../api/model'
import { confirmFirst } from '../components/confirm'
import { RelativeTime } from '../components/RelativeTime'
import { EmptyState, ErrorState, Loading } from '../components/States'
import { toast, toastError } from '../components/toast'
import { queries } from '../queries'

/** What changes of the model have removed, as long as the server keeps it. */
export function ArchiveScreen() {
  const { t } = useTranslation()
  useDocumentTitle(`${t('model.archive')} · Quire`)
  const removed = useQuery(removedQuery)
  const refetch = () => queries.invalidateQueries({ queryKey: removedQuery.queryKey })
  const restore = useMutation({
    mutationFn: (one: Removed) => restoreRemoved(one.id),
    onSuccess: async (count) => {
      toast(t('model.archive.restored', { count }))
      await Promise.all([refetch(), queries.invalidateQueries({ queryKey: ['content'] }), queries.invalidateQueries({ queryKey: keys.home })])
    },
    onError: (error) => toastError(error),
  })
  const forget = useMutation({ mutationFn: (one: Removed) => forgetRemoved(one.id), onSuccess: refetch, onError: (error) => toastError(error) })
  const askToForget = (one: Removed) =>
    confirmFirst({
      title: t('model.archive.forgetTitle'),
      hint: t('model.archive.forgetHint', { title: one.title }),
      confirm: t('model.archive.forget'),
      onConfirm: () => forget.mutate(one),
    })
  return (
    <Stack p="md" gap="md" className="quire-scroll" flex={1}>
      <div>
        <Title order={1}>{t('model.archive')}</Title>
        <Text size="sm" c="dimmed">{t('model.archive.hint')}</Text>
      </div>
      {removed.error && <ErrorState error={removed.error} retry={() => void removed.refetch()} />}
      {removed.isPending && <Loading />}
      {removed.data?.length === 0 && <EmptyState title={t('model.archive.empty')} />}
      {removed.data && removed.data.length > 0 && (
        <Paper withBorder className="quire-surface" style={{ overflowX: 'auto' }}>
          <Table className="quire-table" verticalSpacing={7}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th pl="sm">{t('model.archive.change')}</Table.Th>
                <Table.Th className="quire-wide">{t('model.archive.tables')}</Table.Th>
                <Table.Th>{t('model.archive.when')}</Table.Th>
                <Table.Th />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {removed.data.map((one) => (
                <Table.Tr key={one.id}>
                  <Table.Td pl="sm" className="quire-ellipsis">{one.title}</Table.Td>
                  <Table.Td className="quire-wide quire-ellipsis">{one.tables.join(', ')}</Table.Td>
                  <Table.Td><RelativeTime at={one.madeAt} /></Table.Td>
                  <Table.Td pr="sm">
                    <Group gap="xs" justify="flex-end" wrap="nowrap">
                      <Button variant="default" size="compact-xs" loading={restore.isPending && restore.variables.id === one.id} onClick={() => restore.mutate(one)}>
                        {t('model.archive.restore')}
                      </Button>
                      <Button variant="subtle" color="red" size="compact-xs" onClick={() => askToForget(one)}>{t('model.archive.forget')}</Button>
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Paper>
      )}
    </Stack>
  )
}
