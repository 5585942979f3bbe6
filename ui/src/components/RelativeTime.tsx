import { Text, Tooltip, type TextProps } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import dayjs from 'dayjs'
import relativeTime from 'dayjs/plugin/relativeTime'
import { useState } from 'react'
import { i18next } from '../i18n'

dayjs.extend(relativeTime)

/** How long ago something was; the moment itself, with the time zone, on hover. */
export function RelativeTime({ at, ...props }: { at: string | number } & TextProps) {
  const [, setTick] = useState(0)
  useInterval(() => setTick((tick) => tick + 1), 30_000, { autoInvoke: true })
  return (
    <Tooltip label={absolute(at)}>
      <Text span inherit={props.size === undefined} {...props}>
        <time dateTime={dayjs(at).toISOString()}>{dayjs(at).fromNow()}</time>
      </Text>
    </Tooltip>
  )
}

export function absolute(at: string | number): string {
  return new Intl.DateTimeFormat(i18next.language, { dateStyle: 'medium', timeStyle: 'long' }).format(new Date(at))
}

/** How long ago something was, in short, to the second within the first minute. */
export function ago(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000)
  const [value, unit] = seconds < 60 ? [seconds, 'second'] as const : seconds < 3600 ? [Math.round(seconds / 60), 'minute'] as const : [Math.round(seconds / 3600), 'hour'] as const
  return new Intl.RelativeTimeFormat(i18next.language, { style: 'short', numeric: 'auto' }).format(-value, unit)
}
