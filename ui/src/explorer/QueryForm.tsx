import { Box, Group, JsonInput, MultiSelect, NumberInput, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { hasDrafts, isLocalized, labelOf, useAbility, useConfiguration, useLocales, useModel } from '../api/hooks'
import type { Attribute, ContentType } from '../api/types'
import { filterFields } from '../content/list/fields'
import { FilterChips, FilterMenu } from '../content/list/FilterMenu'
import { fieldTypeOf } from '../fields/registry'
import { DocumentSelect } from './DocumentSelect'
import { isPopulated, populateChoices } from './populate'
import { ACTIONS, actionsOf, bodyFor, emptyDraft, hasBody, isList, needsDocument, parsed, type Action, type Draft } from './request'

type Props = { types: ContentType[]; type: ContentType; draft: Draft; onChange: (draft: Draft) => void }

/** The controls of a request: those that its type and action have. */
export function QueryForm({ types, type, draft, onChange }: Props) {
  const { t } = useTranslation()
  const model = useModel()
  const ability = useAbility()
  const locales = useLocales()
  const view = useConfiguration(type.uid).contentType
  const change = (part: Partial<Draft>) => onChange({ ...draft, ...part })
  const readable = Object.entries(type.attributes).filter(([, attribute]) => attribute.private !== true && attribute.visible !== false)
  const scalars = readable.filter(([, attribute]) => !isPopulated(attribute))
  const fields = [...new Set(['documentId', ...scalars.map(([name]) => name), 'createdAt', 'updatedAt', 'publishedAt'])]
  const choice = (name: string) => ({ value: name, label: labelOf(view, name) })
  const sortable = fields.filter((name) => name in type.attributes ? fieldTypeOf(type.attributes[name] as Attribute).filter : true)
  const list = isList(type, draft.action)
  const filterable = list ? filterFields(type, view, model, ability) : []
  const setAction = (action: Action) => change({ action, ...(hasBody(action) && !draft.body ? { body: bodyFor(type) } : {}) })
  return (
    <Stack gap="sm">
      <SimpleGrid cols={2} spacing="xs">
        <Select
          label={t('explorer.type')}
          searchable
          allowDeselect={false}
          data={types.map((one) => ({ value: one.uid, label: one.info.displayName }))}
          value={type.uid}
          onChange={(uid) => uid && uid !== type.uid && onChange(emptyDraft(uid))}
        />
        <Select
          label={t('explorer.action')}
          allowDeselect={false}
          data={ACTIONS.filter((action) => actionsOf(type).includes(action)).map((action) => ({ value: action, label: t(`explorer.action.${action}`) }))}
          value={draft.action}
          onChange={(action) => setAction(action as Action)}
        />
      </SimpleGrid>
      {needsDocument(type, draft.action) && <DocumentSelect type={type} value={draft.documentId} onChange={(documentId) => change({ documentId })} />}
      {list && (
        <Box>
          <Group gap="xs" mb={6}>
            <Text size="sm" fw={600}>{t('explorer.filters')}</Text>
            <FilterMenu key={type.uid} fields={filterable} value={draft.filters} onChange={(filters) => change({ filters })} />
          </Group>
          <FilterChips fields={filterable} value={draft.filters} onChange={(filters) => change({ filters })} />
        </Box>
      )}
      {draft.action !== 'delete' && (
        <>
          <MultiSelect
            label={t('explorer.populate')}
            description={t('explorer.populateHint')}
            placeholder={draft.populate.length === 0 ? t('explorer.none') : undefined}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('action.clear') }}
            data={[{ value: '*', label: t('explorer.populateAll') }, ...populateChoices(type, model.types, view)]}
            value={draft.populate}
            onChange={(populate) => change({ populate: populate.at(-1) === '*' ? ['*'] : populate.filter((one) => one !== '*') })}
          />
          <MultiSelect
            label={t('explorer.fields')}
            placeholder={draft.fields.length === 0 ? t('explorer.fieldsAll') : undefined}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('action.clear') }}
            data={fields.map(choice)}
            value={draft.fields}
            onChange={(chosen) => change({ fields: chosen })}
          />
        </>
      )}
      {list && (
        <>
          <MultiSelect
            label={t('explorer.sort')}
            placeholder={draft.sort.length === 0 ? t('explorer.none') : undefined}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('action.clear') }}
            data={sortable.flatMap((name) => [
              { value: `${name}:asc`, label: t('explorer.ascending', { name: labelOf(view, name) }) },
              { value: `${name}:desc`, label: t('explorer.descending', { name: labelOf(view, name) }) },
            ])}
            value={draft.sort}
            // The order last chosen for a field is the one that holds.
            onChange={(sort) => change({ sort: sort.filter((one, at) => !sort.some((other, later) => later > at && other.split(':')[0] === one.split(':')[0])) })}
          />
          <SimpleGrid cols={2} spacing="xs">
            <NumberInput label={t('explorer.page')} min={1} allowDecimal={false} value={draft.page ?? ''} onChange={(page) => change({ page: Number(page) || undefined })} placeholder="1" />
            <NumberInput label={t('explorer.pageSize')} min={1} allowDecimal={false} value={draft.pageSize ?? ''} onChange={(size) => change({ pageSize: Number(size) || undefined })} />
          </SimpleGrid>
        </>
      )}
      <SimpleGrid cols={2} spacing="xs">
        {isLocalized(type) && (
          <Select
            label={t('explorer.locale')}
            placeholder={t('explorer.default')}
            clearable
            clearButtonProps={{ 'aria-label': t('action.clear') }}
            data={locales.map((locale) => ({ value: locale.code, label: locale.name }))}
            value={draft.locale ?? null}
            onChange={(locale) => change({ locale: locale ?? undefined })}
          />
        )}
        {hasDrafts(type) && draft.action !== 'delete' && (
          <Select
            label={t('explorer.status')}
            placeholder={t('explorer.default')}
            clearable
            clearButtonProps={{ 'aria-label': t('action.clear') }}
            data={[{ value: 'published', label: t('explorer.published') }, { value: 'draft', label: t('explorer.draft') }]}
            value={draft.status ?? null}
            onChange={(status) => change({ status: status ?? undefined })}
          />
        )}
      </SimpleGrid>
      {hasBody(draft.action) && (
        <JsonInput
          label={t('explorer.body')}
          autosize
          minRows={6}
          maxRows={18}
          formatOnBlur
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
          value={draft.body}
          error={parsed(draft.body) === undefined ? t('explorer.bodyInvalid') : undefined}
          onChange={(body) => change({ body })}
        />
      )}
    </Stack>
  )
}
