import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { request } from '../../api/client'
import { labelOf, useConfiguration } from '../../api/hooks'
import type { ContentType } from '../../api/types'
import { EmptyState, ErrorState, Loading } from '../../components/States'
import { fieldTypeOf } from '../../fields/registry'
import { useEditor } from './store'

type Props = { type: ContentType; documentId: string; locale: string | undefined; onClose: () => void }

/** Types whose published value can be put back into the form as it is. */
const REVERTED = new Set(['relation', 'component', 'dynamiczone', 'password'])

/** What has changed since the entry was published, field by field. */
export function ChangesDialog({ type, documentId, locale, onClose }: Props) {
  const { t } = useTranslation()
  const store = useEditor()
  const view = useConfiguration(type.uid).contentType
  const difference = useQuery({
    queryKey: ['difference', type.uid, documentId, locale],
    gcTime: 0,
    queryFn: async () =>
      (await request('GET /admin/x/difference/{uid}/{id}', { path: { uid: type.uid, id: documentId }, query: { locale } })).data as unknown as {
        fields: Record<string, { draft: unknown; published: unknown }>
      },
  })
  const fields = Object.entries(difference.data?.fields ?? {})
  return (
    <Modal opened onClose={onClose} title={t('changes.title')} size="xl" closeButtonProps={{ 'aria-label': t('action.close') }}>
      {difference.error && <ErrorState error={difference.error} retry={() => void difference.refetch()} />}
      {!difference.data && !difference.error && <Loading rows={3} />}
      {difference.data && fields.length === 0 && <EmptyState title={t('changes.none')} />}
      <Stack gap="md">
        {fields.map(([name, { draft, published }]) => {
          const attribute = type.attributes[name]
          if (!attribute) return null
          const { Diff } = fieldTypeOf(attribute)
          return (
            <div key={name}>
              <Group justify="space-between" mb={4}>
                <Text size="sm" fw={600}>{labelOf(view, name)}</Text>
                {!REVERTED.has(attribute.type) && (
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    aria-label={t('changes.revertNamed', { field: labelOf(view, name) })}
                    onClick={() => {
                      store.getState().restore({ [name]: published })
                      onClose()
                    }}
                  >
                    {t('changes.revert')}
                  </Button>
                )}
              </Group>
              <Diff before={published} after={draft} attribute={attribute} />
            </div>
          )
        })}
      </Stack>
    </Modal>
  )
}
