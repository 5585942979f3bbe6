// English of all pages after signing in, in one file: each file more is another request.
import { addEnglish } from '.'
import activity from './en/activity.json'
import content from './en/content.json'
import explorer from './en/explorer.json'
import fields from './en/fields.json'
import media from './en/media.json'

addEnglish({ ...activity, ...content, ...explorer, ...fields, ...media })
