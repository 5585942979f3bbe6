import { expect, test } from 'vitest'
import { textDirection } from '../fields/shared/direction'

test.each(['ar', 'ar-EG', 'he', 'fa', 'fa_AF', 'ur', 'ps', 'ckb', 'dv', 'yi', 'uz-Arab', 'pa-Arab-PK', 'ku-arab'])('%s is written from right to left', (locale) => {
  expect(textDirection(locale)).toBe('rtl')
})

test.each(['en', 'de-AT', 'fr', 'ku', 'uz', 'az-Latn', 'ks-Deva', 'zh-Hans', '', undefined, null])('text in %s has the direction of its letters', (locale) => {
  expect(textDirection(locale)).toBe('auto')
})
