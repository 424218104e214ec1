/**
 * The menu of one filter. It is loaded separately from the list.
 *
 * @module
 */
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../form/Button.tsx"
import { Menu, MenuCheck, MenuItem, MenuLine } from "../overlay/Menu.tsx"
import type { Filter } from "./FilterBar.tsx"

/** A filter with several values, of which any number may be chosen. */
export const FilterMenu = ({
  chosen,
  filter,
  label,
  onClear,
  onToggle
}: {
  readonly filter: Filter
  readonly chosen: ReadonlyArray<string>
  /** The filter's name, with the chosen values. */
  readonly label: string
  readonly onToggle: (value: string) => void
  readonly onClear: () => void
}) => {
  const texts = useTexts()
  return (
    <Menu
      startsOpen
      trigger={
        <Button isSmall iconAfter="down">
          {label}
        </Button>
      }
    >
      {filter.options.map(({ label: name, value }) => (
        <MenuCheck key={value} isChecked={chosen.includes(value)} onChange={() => onToggle(value)}>
          {name}
        </MenuCheck>
      ))}
      {chosen.length > 0 && (
        <>
          <MenuLine />
          <MenuItem icon="close" onSelect={onClear}>
            {texts.common.clear}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
