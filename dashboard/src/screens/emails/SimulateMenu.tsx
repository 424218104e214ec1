/**
 * The menu of what can be made happen to a message of the sandbox.
 *
 * @module
 */
import type { ReactElement } from "react"
import { Menu, MenuItem } from "../../parts/overlay/Menu.tsx"

/** The menu, which opens at once: its button has loaded it. */
export const SimulateMenu = ({
  names,
  onSelect,
  trigger
}: {
  readonly trigger: ReactElement
  readonly names: Readonly<Record<string, string>>
  readonly onSelect: (kind: string) => void
}) => (
  <Menu startsOpen align="end" trigger={trigger}>
    {Object.entries(names).map(([kind, name]) => (
      <MenuItem key={kind} onSelect={() => onSelect(kind)}>
        {name}
      </MenuItem>
    ))}
  </Menu>
)
