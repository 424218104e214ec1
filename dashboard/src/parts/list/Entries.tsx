/**
 * The latest entries of a list within another screen, with a button for more.
 *
 * @module
 */
import type { ReactNode } from "react"
import type { List } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { Button } from "../form/Button.tsx"
import { ErrorBanner } from "../page/Banner.tsx"
import { Nothing, Rows } from "../page/Columns.tsx"
import { LoadingLines } from "../page/Empty.tsx"
import { Card } from "../page/Page.tsx"

/** The entries of a list. `children` renders one entry. */
export const Entries = <Item,>({
  children,
  empty,
  list: { error, hasMore, isLoading, items, loadMore, reload }
}: {
  readonly list: List<Item>
  /** Shown if the list has no entries. */
  readonly empty: ReactNode
  readonly children: (item: Item) => ReactNode
}) => {
  const texts = useTexts()
  return (
    <>
      {error !== null && <ErrorBanner error={error} onRetry={reload} />}
      {error !== null && items.length === 0 ? null : isLoading ? (
        <LoadingLines count={2} />
      ) : (
        <Card isFlush>
          {items.length === 0 && <Nothing>{empty}</Nothing>}
          <Rows>{items.map((item) => children(item))}</Rows>
        </Card>
      )}
      {hasMore && (
        <div>
          <Button isSmall onClick={loadMore}>
            {texts.list.more}
          </Button>
        </div>
      )}
    </>
  )
}
