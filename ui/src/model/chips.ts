import { t } from '../i18n'
import { builderOf } from '../fields/builder'
import type { Properties } from './draft'
import { kindOf } from './relations'

/** The options of a field that are worth a word in the list; `isLocalized` is whether its type has locales. */
export function chipsOf(properties: Properties, isLocalized: boolean): string[] {
  const { minLength, maxLength, min, max } = properties
  const range = (from: unknown, to: unknown) => (from === undefined ? `≤ ${String(to)}` : to === undefined ? `≥ ${String(from)}` : `${String(from)}–${String(to)}`)
  const kind = kindOf(properties)
  const chips: (string | false | undefined | null)[] = [
    properties.required && t('model.chip.required'),
    (properties.unique ?? false) && t('model.chip.unique'),
    (minLength !== undefined || maxLength !== undefined) && range(minLength, maxLength),
    (min !== undefined || max !== undefined) && range(min, max),
    properties.regex && t('model.chip.regex'),
    properties.targetField && t('model.chip.from', { name: properties.targetField }),
    properties.enum && t('model.chip.values', { count: properties.enum.length }),
    properties.multiple !== undefined && (properties.multiple ? t('model.chip.many') : t('model.chip.one')),
    properties.allowedTypes && properties.allowedTypes.length < 4 && properties.allowedTypes.join(', '),
    properties.repeatable && t('model.chip.repeatable'),
    kind && t(`model.chip.${kind}`),
    properties.targetAttribute && t('model.chip.inverse', { name: properties.targetAttribute }),
    properties.default !== undefined && properties.default !== null && t('model.chip.default', { value: String(properties.default) }),
    properties.private && t('model.chip.private'),
    properties.conditions?.visible !== undefined && t('model.chip.conditional'),
    properties.customField && t('model.chip.custom'),
    !builderOf(properties).perLocale && isLocalized && properties.pluginOptions?.i18n?.localized && t('model.chip.localized'),
  ]
  return chips.filter((chip): chip is string => typeof chip === 'string' && chip !== '')
}
