/**
 * A button whose menu is loaded on first use, because the first screen does not need it.
 *
 * @module
 */
import { type ReactElement, Suspense, useState } from "react"

/** The button, which is replaced by the menu once that is loaded. The menu then opens at once. */
export const MenuButton = ({
  button,
  menu
}: {
  readonly button: (open?: () => void) => ReactElement
  readonly menu: ReactElement
}) => {
  const [isLoaded, setLoaded] = useState(false)
  return isLoaded ? <Suspense fallback={button()}>{menu}</Suspense> : button(() => setLoaded(true))
}
