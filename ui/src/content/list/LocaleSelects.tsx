import { Group, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { hasDrafts, useAbility, useLocales } from '../../api/hooks'
import type { ContentType } from '../../api/types'
import { coverageQuery } from '../coverage'

type Props = { type: ContentType; locale: string | undefined; missing: string | undefined }
type Chosen = { locale?: string; missing?: string }

/** The locale of a list, with how much there is in each; and the locale that listed documents have no version in. */
export function LocaleSelect({ type, locale, missing, onChange }: Props & { onChange: (chosen: Chosen) => void }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const locales = useLocales().filter((one) => one.code === locale || ability.canContent('read', type.uid, one.code))
  const [counted, setCounted] = useState(false)
  const { data } = useQuery({ ...coverageQuery(type.uid), enabled: counted })
  const detail = (code: string): string => {
    const found = data?.locales.find((one) => one.locale === code)
    if (!data || !found) return ''
    return t(hasDrafts(type) ? 'coverage.published' : 'coverage.documents', { count: found.documents, total: data.documents, published: found.published })
  }
  return (
    <Select
      size="xs"
      w={150}
      aria-label={t('entry.locale')}
      allowDeselect={false}
      value={locale ?? null}
      data={locales.map((one) => ({ value: one.code, label: one.name }))}
      comboboxProps={{ width: 280, position: 'bottom-end' }}
      onDropdownOpen={() => setCounted(true)}
      renderOption={({ option }) => <Option label={option.label} detail={detail(option.value)} />}
      onChange={(code) => onChange({ locale: code ?? undefined, ...(code === missing ? { missing: undefined } : {}) })}
    />
  )
}

export function MissingSelect({ type, locale, missing, onChange }: Props & { onChange: (chosen: Chosen) => void }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const locales = useLocales()
  const [counted, setCounted] = useState(false)
  const { data } = useQuery({ ...coverageQuery(type.uid), enabled: counted })
  const offered = locales.filter((one) => one.code !== locale && ability.canContent('read', type.uid, one.code))
  if (offered.length === 0) return null
  const detail = (code: string): string => {
    const found = data?.locales.find((one) => one.locale === code)
    return data && found ? t('coverage.missing', { count: data.documents - found.documents }) : ''
  }
  return (
    <Select
      size="xs"
      w={130}
      clearable
      placeholder={t('coverage.missingIn')}
      aria-label={t('coverage.missingIn')}
      clearButtonProps={{ 'aria-label': t('action.clear') }}
      value={missing ?? null}
      data={offered.map((one) => ({ value: one.code, label: one.name }))}
      comboboxProps={{ width: 240, position: 'bottom-start' }}
      onDropdownOpen={() => setCounted(true)}
      renderOption={({ option }) => <Option label={option.label} detail={detail(option.value)} />}
      onChange={(code) => onChange({ missing: code ?? undefined })}
    />
  )
}

function Option({ label, detail }: { label: string; detail: string }) {
  return (
    <Group justify="space-between" wrap="nowrap" w="100%" gap="xs">
      <span>{label}</span>
      <Text size="xs" c="dimmed">{detail}</Text>
    </Group>
  )
}
