/**
 * One order: its facts and lines, its events on the contact's timeline, and the customer's other orders.
 *
 * @module
 */
import { getRouteApi, Link } from "@tanstack/react-router"
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { ButtonLink } from "../../parts/form/Button.tsx"
import { Banner } from "../../parts/page/Banner.tsx"
import { Columns, Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Facts, Page, Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Copied } from "../../parts/show/Code.tsx"
import { Table } from "../../parts/show/Table.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { orderTones } from "./states.ts"
import { OrdersOf } from "./OrdersOf.tsx"
import { useStores } from "./useStores.ts"

const route = getRouteApi("/shell/a/$accountId/stores/orders/$orderId")

/** The screen. */
export const Order = () => {
  const { orders: texts, people } = useTexts()
  const format = useFormat()
  const { accountId, orderId } = route.useParams()
  const { can } = useAccount()
  const { nameOf } = useStores(texts.store)
  const query = useApi("GET /accounts/:accountId/orders/:id", { params: { accountId, id: orderId } })
  const order = query.data
  return (
    <Page
      title={order?.number ?? order?.externalId ?? texts.order}
      back={{ link: { to: "/a/$accountId/stores/orders", params: { accountId } }, label: texts.title }}
      badge={
        order !== undefined && (
          <Badge tone={orderTones[order.status] ?? "neutral"}>{texts.states[order.status]}</Badge>
        )
      }
      actions={
        typeof order?.contactId === "string" &&
        can("contacts:read") && (
          <ButtonLink
            icon="user"
            to="/a/$accountId/people/contacts/$contactId"
            params={{ accountId, contactId: order.contactId }}
          >
            {texts.contact}
          </ButtonLink>
        )
      }
    >
      <Loaded thing="Order" query={query}>
        {({
          currency,
          customerName,
          email,
          externalId,
          id,
          lineCount,
          lines,
          paidAt,
          placedAt,
          reached,
          ...rest
        }) => (
          <Columns
            aside={
              <Section title={texts.details}>
                <Card>
                  <Facts
                    facts={[
                      [texts.total, format.money(rest.total, currency)],
                      [texts.lines, format.number(lineCount)],
                      customerName === null ? null : [texts.customer, customerName],
                      email === null ? null : [people.fields.email, email],
                      [
                        texts.store,
                        <Link
                          key="store"
                          to="/a/$accountId/stores"
                          params={{ accountId }}
                          activeOptions={{ exact: true }}
                        >
                          {nameOf(rest.storeId)}
                        </Link>
                      ],
                      [texts.placed, <RelativeTime key="at" at={placedAt} form="moment" />],
                      paidAt === null
                        ? null
                        : [texts.paid, <RelativeTime key="at" at={paidAt} form="moment" />],
                      [texts.externalId, <code key="external">{externalId}</code>],
                      [people.facts.id, <Copied key="id">{id}</Copied>]
                    ]}
                  />
                </Card>
              </Section>
            }
          >
            <Banner>{texts.reasons[rest.status]}</Banner>
            {lines.length > 0 && (
              <Section
                title={texts.lines}
                text={lineCount > lines.length && texts.firstLines(lines.length, format.number(lineCount))}
              >
                <Table
                  label={texts.lines}
                  rows={lines.map((line, at) => ({ ...line, at }))}
                  keyOf={({ at }) => String(at)}
                  columns={[
                    {
                      key: "name",
                      head: texts.product,
                      cell: ({ name, productId }) => <bdi>{name === "" ? (productId ?? "–") : name}</bdi>
                    },
                    {
                      key: "quantity",
                      head: texts.quantity,
                      isEnd: true,
                      cell: ({ quantity }) => format.number(quantity)
                    },
                    {
                      key: "price",
                      head: texts.price,
                      isEnd: true,
                      cell: ({ price }) => (price === null ? "–" : format.money(price, currency))
                    }
                  ]}
                />
              </Section>
            )}
            <Section title={texts.history}>
              <Card isFlush>
                {reached.length === 0 && <Nothing>{texts.noHistory}</Nothing>}
                <Rows>
                  {reached.map((milestone) => (
                    <Entry
                      key={milestone}
                      text={texts.onTimeline}
                      end={
                        milestone === "Placed" ? (
                          <RelativeTime at={placedAt} />
                        ) : (
                          milestone === "Paid" && paidAt !== null && <RelativeTime at={paidAt} />
                        )
                      }
                    >
                      {texts.milestones[milestone] ?? milestone}
                    </Entry>
                  ))}
                </Rows>
              </Card>
            </Section>
            {email !== null && <OrdersOf email={email} without={id} />}
          </Columns>
        )}
      </Loaded>
    </Page>
  )
}
