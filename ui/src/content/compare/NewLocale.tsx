import { Alert, Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useLocales, useModel } from '../../api/hooks'
import type { ContentType } from '../../api/types'
import { toastError } from '../../components/toast'
import { queries } from '../../queries'
import type { Loaded } from '../editor/loading'
import type { Values } from '../editor/store'
import { otherOf, sourceQuery } from './versions'

type Props = {
  type: ContentType
  loaded: Loaded
  locale: string | undefined
  choose: ((name: string) => void) | undefined
  onCopy: (values: Values) => void
}

/** Ways to begin the version of a locale that there is none of yet. */
export function NewLocale({ type, loaded, locale, choose, onCopy }: Props) {
  const { t } = useTranslation()
  const model = useModel()
  const locales = useLocales()
  const home = locales.find((one) => one.isDefault)?.code
  const source = loaded.others.find((one) => one.locale === home) ?? loaded.others[0]
  const copy = useMutation({
    mutationFn: async () => {
      const other = otherOf(source?.locale, type, loaded, locale)
      const found = other && (await queries.fetchQuery(sourceQuery(type, other, locale, model)))
      if (found) onCopy(found.copies)
    },
    onError: (error) => toastError(error),
  })
  const name = locales.find((one) => one.code === source?.locale)?.name ?? source?.locale
  return (
    <Alert variant="light" p="sm" role="status">
      <Group justify="space-between">
        <Text size="sm" c="inherit">{t('entry.newLocale', { locale: locales.find((one) => one.code === locale)?.name ?? locale ?? '' })}</Text>
        {source && (
          <Group gap="xs">
            {choose && <Button variant="default" onClick={() => choose(source.locale)}>{t('compare.title')}</Button>}
            <Button loading={copy.isPending} onClick={() => copy.mutate()}>{t('compare.copyFrom', { locale: name })}</Button>
          </Group>
        )}
      </Group>
    </Alert>
  )
}
