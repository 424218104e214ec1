/**
 * The button for a list's saved views and columns. Its menu is loaded on first use.
 *
 * @module
 */
import { lazyPart } from "../../app/newVersion.ts"
import { useTexts } from "../../app/reader.tsx"
import type { Search } from "../../lib/search.ts"
import { Button } from "../form/Button.tsx"
import { MenuButton } from "../overlay/MenuButton.tsx"
import type { Column } from "./List.tsx"
import type { ViewedList } from "./ViewMenu.tsx"

const ViewMenu = lazyPart(() => import("./ViewMenu.tsx"), "ViewMenu")

/** The properties of the button and its menu. */
export interface Viewed {
  readonly list: ViewedList
  /** The parameters of the URL, including `columns`. */
  readonly search: Search
  readonly columns: ReadonlyArray<Pick<Column<never>, "head" | "isHeadHidden" | "key">>
  /** Shows another view. */
  readonly onShow: (search: Search) => void
}

/** The button. */
export const ViewButton = (viewed: Viewed) => {
  const { views } = useTexts()
  return (
    <MenuButton
      button={(open) => (
        <Button isSmall iconAfter="down" aria-haspopup="menu" onClick={open}>
          {views.button}
        </Button>
      )}
      menu={<ViewMenu {...viewed} />}
    />
  )
}
