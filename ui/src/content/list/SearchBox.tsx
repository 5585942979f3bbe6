import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'

// Long enough for one request per word of a fast typist, short enough not to be waited for.
const PAUSE = 120

/** Words to look for, reported a moment after the last key, with Enter at once. */
export function SearchBox({ value, label, inputRef, onChange }: { value: string; label: string; inputRef: React.Ref<HTMLInputElement>; onChange: (value: string) => void }) {
  const { t } = useTranslation()
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  if (value !== known) {
    // The address has changed by other means, such as "Clear filters" or the back button.
    setKnown(value)
    setText(value)
  }
  const report = useDebouncedCallback((typed: string) => {
    setKnown(typed)
    onChange(typed)
  }, PAUSE)
  const type = (typed: string) => {
    setText(typed)
    report(typed)
  }
  return (
    <TextInput
      ref={inputRef}
      size="xs"
      w={{ base: '100%', xs: 260 }}
      placeholder={label}
      aria-label={label}
      leftSection={<Search size={13} />}
      rightSection={text ? <CloseButton size="xs" aria-label={t('action.clear')} onClick={() => type('')} /> : null}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          // What is pressed next concerns the rows that the whole text finds.
          report.flush()
          event.currentTarget.blur()
        }
        // An input method ends its composition by Enter as well.
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
          report(text)
          report.flush()
        }
      }}
    />
  )
}
