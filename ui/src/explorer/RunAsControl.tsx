import { PasswordInput, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { request } from '../api/client'
import { useAbility } from '../api/hooks'
import { keys } from '../api/keys'
import { messageOf } from '../components/errors'
import { useMayGrant } from '../settings/endUserRole'
import { endUserRolesQuery } from '../settings/queries'
import { useExplorer, type RunAs } from './store'

const USER = 'plugin::users-permissions.user'

type Size = 'xs' | 'sm'

/** As whom requests are sent: a visitor, a program with a token, or whoever has a role of end users. */
export function RunAsControl({ size = 'sm' }: { size?: Size }) {
  const { t } = useTranslation()
  const ability = useAbility()
  const mayGrant = useMayGrant()
  const { runAs, token } = useExplorer()
  const choices: RunAs[] = ['nobody', 'token', ...(mayGrant ? ['role' as const] : []), ...(mayGrant && ability.canContent('read', USER) ? ['user' as const] : [])]
  return (
    <Stack gap={4}>
      <Text size={size} fw={600}>{t('explorer.runAs')}</Text>
      <SegmentedControl
        size="xs"
        aria-label={t('explorer.runAs')}
        value={runAs}
        onChange={(value) => useExplorer.setState({ runAs: value as RunAs })}
        data={choices.map((value) => ({ value, label: t(`explorer.as.${value}`) }))}
      />
      {runAs === 'token' && (
        <PasswordInput
          size={size}
          aria-label={t('explorer.as.token')}
          description={t('explorer.tokenHint')}
          placeholder={t('explorer.tokenPaste')}
          autoComplete="off"
          value={token}
          onChange={(event) => useExplorer.setState({ token: event.currentTarget.value })}
        />
      )}
      {runAs === 'role' && <RoleSelect size={size} />}
      {runAs === 'user' && <UserSelect size={size} />}
      {(runAs === 'role' || runAs === 'user') && <Text size="xs" c="dimmed">{t('explorer.readOnlyHint')}</Text>}
    </Stack>
  )
}

function RoleSelect({ size }: { size: Size }) {
  const { t } = useTranslation()
  const role = useExplorer((state) => state.role)
  const roles = useQuery(endUserRolesQuery)
  return (
    <Select
      size={size}
      aria-label={t('explorer.as.role')}
      placeholder={t('explorer.roleChoose')}
      allowDeselect={false}
      searchable
      data={roles.data?.map((one) => ({ value: String(one.id), label: one.name })) ?? []}
      value={role === null ? null : String(role)}
      onChange={(id) => id && useExplorer.setState({ role: Number(id) })}
      error={roles.error && messageOf(roles.error)}
    />
  )
}

type FoundUser = { id: number; username: string | null; email: string | null }

function UserSelect({ size }: { size: Size }) {
  const { t } = useTranslation()
  const user = useExplorer((state) => state.user)
  const [words, setWords] = useState('')
  const [asked] = useDebouncedValue(words.trim(), 150)
  const found = useQuery({
    queryKey: keys.list(USER, { explorer: asked }),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await request('GET /content-manager/collection-types/{uid}', { path: { uid: USER }, query: { _q: asked || undefined, pageSize: 10 }, signal }))
        .results as unknown as FoundUser[],
  })
  const [chosen, setChosen] = useState<FoundUser | null>(null)
  const users = found.data ?? []
  const known = chosen?.id === user && chosen && !users.some(({ id }) => id === chosen.id) ? [chosen, ...users] : users
  const nameOf = ({ id, username, email }: FoundUser) => [username, email].filter(Boolean).join(' · ') || String(id)
  return (
    <Select
      size={size}
      aria-label={t('explorer.as.user')}
      placeholder={t('explorer.userChoose')}
      allowDeselect={false}
      searchable
      data={known.map((one) => ({ value: String(one.id), label: nameOf(one) }))}
      filter={({ options }) => options}
      nothingFoundMessage={t('palette.nothing')}
      value={user === null ? null : String(user)}
      onSearchChange={(search) => setWords(known.some((one) => nameOf(one) === search) ? '' : search)}
      onChange={(id) => {
        setChosen(known.find((one) => String(one.id) === id) ?? null)
        if (id) useExplorer.setState({ user: Number(id) })
      }}
      error={found.error && messageOf(found.error)}
    />
  )
}
