import { ActionIcon, Toolbar as MantineToolbar, Tooltip, type ActionIconProps } from '@mantine/core'
import type { ComponentPropsWithRef, ReactNode } from 'react'

/**
 * The tools of a text: one stop for Tab, in which the arrow keys go from tool to tool, as the pattern of ARIA has it. A control
 * that is no `Tool` has `data-toolbar-toggle`, by which Mantine knows what the arrow keys go to.
 */
export function Toolbar({ label, isSticky, children }: { label: string; isSticky?: boolean; children: ReactNode }) {
  return (
    <MantineToolbar
      unstyled
      className="quire-toolbar quire-surface"
      style={isSticky ? { position: 'sticky', top: 0, zIndex: 1 } : undefined}
      aria-label={label}
    >
      {children}
    </MantineToolbar>
  )
}

type ToolProps = Omit<ComponentPropsWithRef<'button'>, 'style' | 'color'> & Pick<ActionIconProps, 'size'> & { label: string; isPressed?: boolean }

/** A button of a toolbar, with its name as a tip; the text keeps the focus when it is clicked. */
export function Tool({ label, isPressed, children, ...others }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        data-toolbar-toggle
        aria-label={label}
        aria-pressed={isPressed}
        variant={isPressed ? 'light' : 'subtle'}
        color={isPressed ? 'brand' : 'gray'}
        onMouseDown={(event) => event.preventDefault()}
        {...others}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
