import { fieldNamed, modelOf, type DraftField, type DraftModel, type DraftSchema, type Properties, type ServerModel } from '../model/draft'

/** A model of books, as the content-type builder describes it. */

type Attributes = Record<string, Properties>

const contentType = (name: string, attributes: Attributes): ServerModel => ({
  uid: `api::${name}.${name}`,
  modelName: name,
  modelType: 'contentType',
  kind: 'collectionType',
  category: '',
  collectionName: `${name}s`,
  info: { displayName: name, singularName: name, pluralName: `${name}s` },
  options: { draftAndPublish: true },
  attributes: Object.entries(attributes).map(([field, properties]) => ({ ...properties, name: field })),
})

const component = (uid: string, attributes: Attributes): ServerModel => ({
  ...contentType(uid.split('.')[1] ?? '', attributes),
  uid,
  modelType: 'component',
  category: uid.split('.')[0] ?? '',
})

export const SERVER = {
  contentTypes: {
    'api::book.book': contentType('book', {
      title: { type: 'string', required: true },
      slug: { type: 'uid', targetField: 'title' },
      pages: { type: 'integer' },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'books', targetAttribute: 'books' },
      sections: { type: 'dynamiczone', components: ['shared.quote'] },
    }),
    'api::author.author': contentType('author', {
      name: { type: 'string' },
      books: { type: 'relation', relation: 'oneToMany', target: 'api::book.book', mappedBy: 'author', targetAttribute: 'author' },
    }),
  },
  components: { 'shared.quote': component('shared.quote', { words: { type: 'text' } }) },
}

export function found(draft: DraftSchema, uid: string): DraftModel {
  const model = modelOf(draft, uid)
  if (!model) throw new Error(uid)
  return model
}

export function field(model: DraftModel, name: string): DraftField {
  const one = fieldNamed(model, name)
  if (!one) throw new Error(name)
  return one
}
