import { Paper, Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { byName, modelOf } from '../draft'
import { otherSide, setLink } from '../edits'
import { asFieldName } from '../names'
import { hasOtherSide, kindOf, KINDS, leadsToMany, needsInverse, relationNameOf, type RelationKind } from '../relations'
import { useDraft } from '../store'
import { editField, type OptionProps } from './edit'

/** A relation with both of its sides, in sentences. */
export function RelationOption(props: OptionProps) {
  const { t } = useTranslation()
  const schema = useDraft()
  const { model, field, locked, problems } = props
  const { target = '' } = field.properties
  const targetAttribute = otherSide(schema, model, field)?.name ?? field.properties.targetAttribute
  const kind = kindOf(field.properties)
  const facing = modelOf(schema, target)
  const targets = Object.values(schema).filter((one) => !one.isComponent && one.kind === 'collectionType').sort(byName)
  const names = { here: model.info.displayName, there: facing?.info.displayName ?? target }

  const put = (wanted: { kind?: RelationKind; target?: string; inverse?: string | null }, key = '') =>
    editField(
      props,
      (found, owner, draft) => {
        const next = wanted.kind ?? kind ?? 'manyToOne'
        const to = wanted.target ?? target
        const isLinked = hasOtherSide(next) && !owner.isComponent
        const inverse = 'inverse' in wanted ? wanted.inverse : targetAttribute
        const proposed = inverse || (needsInverse(next) ? proposedName(owner.info.singularName, owner.info.pluralName, next) : null)
        setLink(draft, owner, found, {
          relation: relationNameOf(next),
          target: to,
          inverse: isLinked ? (key ? (inverse ?? null) : proposed) : null,
        })
      },
      key,
    )

  // Relations to any type have no form here: their other sides lie with those types.
  if (!kind) return <Text size="sm" c="dimmed">{t('model.relation.morph')}</Text>
  const kinds = model.isComponent ? KINDS.filter((one) => !hasOtherSide(one)) : KINDS
  const many = leadsToMany(kind)
  return (
    <Stack gap="sm">
      <Select
        label={t('model.option.target')}
        searchable
        data={targets.map((one) => ({ value: one.uid, label: one.info.displayName }))}
        value={target || null}
        disabled={locked}
        error={problems.target}
        onChange={(uid) => uid && put({ target: uid })}
      />
      {facing && (
        <>
          <Radio.Group label={t('model.relation.kind')} value={kind} onChange={(value) => put({ kind: value as RelationKind })}>
            <Stack gap={6} mt={6}>
              {kinds.map((one) => (
                <Radio key={one} size="xs" value={one} disabled={locked} label={t(`model.relation.${one}`, names)} />
              ))}
            </Stack>
          </Radio.Group>
          {hasOtherSide(kind) && (
            <TextInput
              label={t('model.option.inverse', { type: names.there })}
              description={needsInverse(kind) ? undefined : t('model.option.inverseHint')}
              placeholder={proposedName(model.info.singularName, model.info.pluralName, kind)}
              value={targetAttribute ?? ''}
              disabled={locked}
              error={problems.inverse}
              onChange={(event) => put({ inverse: asFieldName(event.currentTarget.value) || null }, 'inverse')}
            />
          )}
          <Paper withBorder p="xs" className="quire-surface" aria-label={t('model.relation.sides')} component="section">
            <Text size="xs">{t(many.here ? 'model.relation.hasMany' : 'model.relation.hasOne', { here: names.here, there: names.there, field: field.name || '…' })}</Text>
            <Text size="xs" c={otherSide(schema, model, field) ? undefined : 'dimmed'} mt={4}>
              {targetAttribute
                ? t(many.there ? 'model.relation.hasMany' : 'model.relation.hasOne', { here: names.there, there: names.here, field: targetAttribute })
                : t('model.relation.hidden', { there: names.there })}
            </Text>
          </Paper>
        </>
      )}
    </Stack>
  )
}

/** How the other side of a relation may call this type: in the plural where it leads to several entries. */
function proposedName(singular: string, plural: string, kind: RelationKind): string {
  return asFieldName((leadsToMany(kind).there ? plural : singular).replace(/-/g, ' '))
}
