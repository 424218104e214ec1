/**
 * The menu of events that can be simulated for a message of the sandbox.
 *
 * @module
 */
import type { ReactElement } from "react"
import { Menu, MenuItem } from "../../parts/overlay/Menu.tsx"

/** The menu. It opens as soon as it is loaded, because a click on its button loads it. */
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
