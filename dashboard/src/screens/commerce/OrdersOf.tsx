/**
 * The latest orders of one customer.
 *
 * @module
 */
import { Link } from "@tanstack/react-router"
import { useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Entries } from "../../parts/list/Entries.tsx"
import { Entry } from "../../parts/page/Columns.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { orderTones } from "./states.ts"

/** The section. `without` is the id of an order to leave out, because it is on screen already. */
export const OrdersOf = ({ email, without }: { readonly email: string; readonly without?: string }) => {
  const { orders: texts } = useTexts()
  const format = useFormat()
  const { id: accountId } = useAccount()
  const list = useList("GET /accounts/:accountId/orders", {
    params: { accountId },
    query: { limit: 10, q: email }
  })
  return (
    <Section title={without === undefined ? texts.title : texts.otherOrders}>
      <Entries
        // The search also finds orders whose address only contains the text.
        list={{ ...list, items: list.items.filter((one) => one.id !== without && one.email === email) }}
        empty={texts.noOthers}
      >
        {({ currency, id, number, placedAt, status, total }) => (
          <Entry key={id} text={format.money(total, currency)} end={<RelativeTime at={placedAt} />}>
            <Link to="/a/$accountId/stores/orders/$orderId" params={{ accountId, orderId: id }}>
              <bdi>{number ?? id}</bdi>
            </Link>
            <Badge tone={orderTones[status] ?? "neutral"}>{texts.states[status]}</Badge>
          </Entry>
        )}
      </Entries>
    </Section>
  )
}
