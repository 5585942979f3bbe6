import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useAbility, useConfiguration, useLocales } from '../../api/hooks'
import type { ContentType } from '../../api/types'
import { nextMissingQuery } from '../coverage'

type Props = { type: ContentType; documentId: string | null; locale: string | undefined; source: string | undefined; label?: string; variant?: string }

/** Leads to the next document that has no version in a locale, beside its version in the locale `source`. */
export function NextMissing({ type, documentId, locale, source, label, variant = 'subtle' }: Props) {
  const { t } = useTranslation()
  const ability = useAbility()
  const locales = useLocales()
  const { mainField } = useConfiguration(type.uid).contentType.settings
  const isOffered = locale !== undefined && source !== undefined && locale !== source && ability.canContent('create', type.uid, locale) && ability.canContent('read', type.uid, locale)
  const { data: next } = useQuery({ ...nextMissingQuery(type.uid, documentId, source ?? '', locale ?? '', mainField), enabled: isOffered })
  if (!isOffered || !next) return null
  const name = locales.find((one) => one.code === locale)?.name ?? locale
  return (
    <Button
      variant={variant}
      size="xs"
      maw="100%"
      rightSection={<ArrowRight size={14} />}
      renderRoot={(props) => (
        <Link {...props} to="/content/$uid/$documentId" params={{ uid: type.uid, documentId: next.documentId }} search={{ locale, compare: source }} />
      )}
    >
      <span className="quire-ellipsis">{label ?? t('coverage.next', { locale: name, title: String(next[mainField] ?? '') || t('entry.untitled') })}</span>
    </Button>
  )
}
