/**
 * One item of the catalogue.
 *
 * @module
 */
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button } from "../../parts/form/Button.tsx"
import { Dialog } from "../../parts/overlay/Dialog.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Missing } from "../../parts/page/Missing.tsx"
import { Facts } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Copied } from "../../parts/show/Code.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { ItemUsage } from "./ItemUsage.tsx"

/** A link to an external page, which opens in a new tab. */
const Outside = ({ url }: { readonly url: string }) => (
  <a href={url} target="_blank" rel="noreferrer">
    <bdi>{url}</bdi>
  </a>
)

/** The dialog. An external id is unique within a store, and among the account's own items. */
export const ItemDialog = ({
  externalId,
  nameOf,
  onClose,
  storeId
}: {
  readonly externalId: string
  /** Null for the account's own items. */
  readonly storeId: string | null
  readonly nameOf: (storeId: string) => string
  readonly onClose: () => void
}) => {
  const { common, items: texts, orders } = useTexts()
  const format = useFormat()
  const { id: accountId } = useAccount()
  const query = useApi("GET /accounts/:accountId/items", {
    params: { accountId },
    query: { q: externalId, limit: 200, ...(storeId === null ? {} : { storeId: [storeId] }) }
  })
  const found = query.data?.items.find((one) => one.externalId === externalId && one.storeId === storeId)
  const money = (amount: number | null, currency: string | null) =>
    amount === null || currency === null ? null : format.money(amount, currency)
  return (
    <Dialog
      isOpen
      isWide
      onClose={onClose}
      title={found?.name ?? texts.name}
      actions={<Button onClick={onClose}>{common.close}</Button>}
    >
      <Loaded query={query}>
        {() =>
          found === undefined ? (
            <Missing thing="Item" />
          ) : (
            <>
              <Facts
                facts={[
                  [
                    texts.state,
                    <Badge key="state" tone={found.active ? "good" : "neutral"}>
                      {texts.states[found.active ? "Active" : "Inactive"]}
                    </Badge>
                  ],
                  [texts.kind, texts.kinds[found.kind]],
                  found.price === null ? null : [texts.price, money(found.price, found.currency)],
                  found.comparePrice === null
                    ? null
                    : [texts.comparePrice, money(found.comparePrice, found.currency)],
                  [
                    texts.stock,
                    [
                      found.inStock ? texts.inStock : texts.outOfStock,
                      ...(found.stockQuantity === null ? [] : [format.number(found.stockQuantity)])
                    ].join(", ")
                  ],
                  found.categories.length === 0 ? null : [texts.categories, format.list(found.categories)],
                  found.description === null ? null : [texts.description, found.description],
                  found.url === null ? null : [texts.link, <Outside key="url" url={found.url} />],
                  found.imageUrl === null
                    ? null
                    : [texts.image, <Outside key="image" url={found.imageUrl} />],
                  ...Object.entries(found.attributes).map(
                    ([key, value]) => [key, Array.isArray(value) ? value.join(", ") : String(value)] as const
                  ),
                  storeId === null
                    ? [texts.source, texts.sources[found.source]]
                    : [orders.store, nameOf(storeId)],
                  [texts.externalId, <Copied key="id">{externalId}</Copied>],
                  [texts.added, <RelativeTime key="added" at={found.createdAt} />],
                  found.updatedAt === null
                    ? null
                    : [texts.changed, <RelativeTime key="changed" at={found.updatedAt} />]
                ]}
              />
              <ItemUsage item={found} />
            </>
          )
        }
      </Loaded>
    </Dialog>
  )
}
