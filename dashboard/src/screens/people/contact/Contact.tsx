/**
 * One person: profile, timeline, emails and consent history, and the actions on them.
 *
 * @module
 */
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { call, type ValueOf } from "../../../api/call.ts"
import { useApi, useExtra } from "../../../api/queries.ts"
import { useFormat, useTexts } from "../../../app/reader.tsx"
import { useAccount } from "../../../app/session.ts"
import { Button, IconButton } from "../../../parts/form/Button.tsx"
import { ErrorBanner } from "../../../parts/page/Banner.tsx"
import { ConfirmDialog } from "../../../parts/overlay/Dialog.tsx"
import { Menu, MenuItem, MenuLine } from "../../../parts/overlay/Menu.tsx"
import { useAction } from "../../../parts/overlay/useAction.ts"
import { Columns, Row } from "../../../parts/page/Columns.tsx"
import { Loaded } from "../../../parts/page/Loaded.tsx"
import { Card, Facts, Page, Section } from "../../../parts/page/Page.tsx"
import { Badge } from "../../../parts/show/Badge.tsx"
import { Copied } from "../../../parts/show/Code.tsx"
import { RelativeTime } from "../../../parts/show/RelativeTime.tsx"
import { consentTones, nameOf } from "../consent.ts"
import { useRecordTexts } from "../../../texts/records/useRecordTexts.ts"
import { SendEvent } from "../../developers/SendEvent.tsx"
import { OrdersOf } from "../../commerce/OrdersOf.tsx"
import { ConsentHistory } from "./ConsentHistory.tsx"
import { EditContact } from "./EditContact.tsx"
import { Emails, Timeline } from "./History.tsx"
import { LinksDialog } from "./LinksDialog.tsx"
import { DevicesOf } from "./DevicesOf.tsx"
import { TopicsOf } from "./TopicsOf.tsx"
import { RunsOf } from "./RunsOf.tsx"
import { StartFlow } from "./StartFlow.tsx"
import { Why } from "./Why.tsx"

const route = getRouteApi("/shell/a/$accountId/people/contacts/$contactId")

type Person = ValueOf<"GET /accounts/:accountId/contacts/:id">

const shownFields = ["email", "firstName", "lastName", "phone", "city", "countryCode", "language"] as const

const EraseDialog = ({
  accountId,
  onClose,
  person
}: {
  readonly accountId: string
  readonly person: Person
  readonly onClose: () => void
}) => {
  const { people: texts } = useTexts()
  const format = useFormat()
  const navigate = useNavigate()
  const { can } = useAccount()
  const params = { accountId, id: person.id }
  const one = { limit: 1, count: "exact" } as const
  const events = useApi("GET /accounts/:accountId/contacts/:id/timeline", { params, query: one })
  const emails = useApi(
    "GET /accounts/:accountId/emails",
    { params: { accountId }, query: { ...one, to: [person.email ?? ""] } },
    { enabled: person.email !== null && can("emails:read") }
  )
  const { isBusy, run } = useAction(["GET /accounts/:accountId/contacts"])
  const failed = events.error ?? emails.error
  // Emails are not counted if the role may not read them, or if the person has no address.
  const isCounted = events.data !== undefined && !emails.isLoading
  const eventCount = events.data?.totalCount ?? 0
  const emailCount = emails.data?.totalCount ?? 0
  const erase = async () => {
    if (await run(() => call("DELETE /accounts/:accountId/contacts/:id", { params }), texts.erased))
      void navigate({ to: "/a/$accountId/people", params: { accountId } })
  }
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => void erase()}
      isBusy={isBusy}
      title={texts.eraseTitle(nameOf(person))}
      text={
        isCounted
          ? texts.eraseText(
              texts.eraseEvents(format.number(eventCount), eventCount),
              texts.eraseEmails(format.number(emailCount), emailCount),
              texts.eraseOrders(format.number(person.orderCount), person.orderCount)
            )
          : null
      }
      action={texts.erase}
    >
      {failed !== null && (
        <ErrorBanner error={failed} onRetry={() => void Promise.all([events.refetch(), emails.refetch()])} />
      )}
    </ConfirmDialog>
  )
}

const valueText = (value: unknown): string => (Array.isArray(value) ? value.join(", ") : String(value))

/** The properties of the person, beside the history. */
const Profile = ({
  accountId,
  onEdit,
  person
}: {
  readonly accountId: string
  readonly person: Person
  readonly onEdit: (() => void) | null
}) => {
  const { people: texts } = useTexts()
  const format = useFormat()
  const labels = useExtra("GET /accounts/:accountId/contact-attributes", { params: { accountId } }) ?? []
  const attributes = Object.entries(person.attributes)
  return (
    <>
      <Section
        title={texts.profile}
        actions={
          onEdit !== null && (
            <Button isSmall onClick={onEdit}>
              {texts.edit}
            </Button>
          )
        }
      >
        <Card>
          <Facts
            facts={[
              ...shownFields.map((key) => {
                const value = person[key]
                return value === null ? null : ([texts.fields[key], value] as const)
              }),
              [
                texts.tags,
                person.tags === null || person.tags.length === 0 ? (
                  texts.noTags
                ) : (
                  <Row key="tags">
                    {person.tags.map((tag) => (
                      <Badge key={tag}>{tag}</Badge>
                    ))}
                  </Row>
                )
              ],
              [texts.facts.id, <Copied key="id">{person.id}</Copied>]
            ]}
          />
        </Card>
      </Section>
      <Section title={texts.attributes}>
        <Card>
          {attributes.length === 0 ? (
            <span>{texts.noAttributes}</span>
          ) : (
            <Facts
              facts={attributes.map(([key, value]) => [
                labels.find((field) => field.key === key)?.label ?? key,
                valueText(value)
              ])}
            />
          )}
        </Card>
      </Section>
      <Section title={texts.overview}>
        <Card>
          <Facts
            facts={[
              [texts.facts.added, <RelativeTime key="at" at={person.addedAt} />],
              person.storeId === null ? null : [texts.facts.store, texts.storeManaged],
              [texts.facts.lastEmailed, <RelativeTime key="at" at={person.lastEmailedAt} />],
              [texts.facts.lastOpen, <RelativeTime key="at" at={person.lastOpenAt} />],
              [texts.facts.lastClick, <RelativeTime key="at" at={person.lastClickAt} />],
              [texts.facts.orders, format.number(person.orderCount)],
              person.orderCount === 0 ? null : [texts.facts.spent, format.number(person.totalSpent)],
              person.orderCount === 0
                ? null
                : [texts.facts.lastOrder, <RelativeTime key="at" at={person.lastOrderAt} />]
            ]}
          />
        </Card>
      </Section>
    </>
  )
}

/** The screen. */
export const Contact = () => {
  const { people: texts, sendEvent } = useTexts()
  const { startFlow } = useRecordTexts()
  const format = useFormat()
  const { accountId, contactId } = route.useParams()
  const { can } = useAccount()
  const mayReport = can("contacts:write")
  const mayStart = can("flows:publish")
  const [open, setOpen] = useState<"edit" | "erase" | "event" | "flow" | "links" | "unsubscribe" | null>(null)
  const params = { accountId, id: contactId }
  const query = useApi("GET /accounts/:accountId/contacts/:id", { params })
  const { run } = useAction([
    "GET /accounts/:accountId/contacts/:id",
    "GET /accounts/:accountId/contacts/:id/consent-history",
    "GET /accounts/:accountId/contacts"
  ])
  const person = query.data
  const unsubscribe = () => {
    setOpen(null)
    void run(
      () =>
        call("PATCH /accounts/:accountId/contacts/:id", {
          params,
          body: { consent: { basis: "Unsubscribed" } }
        }),
      texts.unsubscribed,
      undefined,
      (one: Person): Person => (one.id === contactId ? { ...one, consentStatus: "Unsubscribed" } : one)
    )
  }
  const ask = () =>
    void run(
      () => call("POST /accounts/:accountId/contacts/:id/double-opt-in/email", { params }),
      texts.asked
    )
  const mayAsk =
    person !== undefined && !["Subscribed", "Bounced", "Complained"].includes(person.consentStatus)
  return (
    <Page
      title={person === undefined ? texts.person : nameOf(person)}
      back={{ link: { to: "/a/$accountId/people", params: { accountId } }, label: texts.title }}
      badge={
        person !== undefined && (
          <Badge tone={consentTones[person.consentStatus] ?? "neutral"}>
            {texts.consents[person.consentStatus]}
          </Badge>
        )
      }
      actions={
        person !== undefined &&
        (mayReport || mayStart || can("consent:write") || can("contacts:erase")) && (
          <Menu align="end" trigger={<IconButton tone="plain" icon="more" label={texts.actions} />}>
            {mayReport && <MenuItem onSelect={() => setOpen("event")}>{sendEvent.open}</MenuItem>}
            {mayStart && <MenuItem onSelect={() => setOpen("flow")}>{startFlow.title}</MenuItem>}
            {can("consent:write") && (
              <>
                {(mayReport || mayStart) && <MenuLine />}
                {mayAsk && <MenuItem onSelect={ask}>{texts.ask}</MenuItem>}
                <MenuItem onSelect={() => setOpen("links")}>{texts.links}</MenuItem>
                {person.consentStatus !== "Unsubscribed" && (
                  <MenuItem onSelect={() => setOpen("unsubscribe")}>{texts.unsubscribe}</MenuItem>
                )}
              </>
            )}
            {can("contacts:erase") && (
              <>
                <MenuLine />
                <MenuItem icon="trash" isDanger onSelect={() => setOpen("erase")}>
                  {texts.erase}
                </MenuItem>
              </>
            )}
          </Menu>
        )
      }
    >
      <Loaded thing="Contact" query={query}>
        {(value) => (
          <>
            <Columns
              aside={
                <Profile
                  accountId={accountId}
                  person={value}
                  onEdit={can("contacts:write") ? () => setOpen("edit") : null}
                />
              }
            >
              <Why accountId={accountId} person={value} />
              <Timeline accountId={accountId} contactId={value.id} />
              {value.email !== null && can("emails:read") && (
                <Emails accountId={accountId} email={value.email} />
              )}
              {can("flows:read") && <RunsOf accountId={accountId} contactId={value.id} />}
              {value.email !== null && value.orderCount > 0 && can("orders:read") && (
                <OrdersOf email={value.email} />
              )}
              <TopicsOf accountId={accountId} contactId={value.id} />
              <DevicesOf accountId={accountId} contactId={value.id} />
              <ConsentHistory accountId={accountId} contactId={value.id} />
            </Columns>
            {open === "edit" && (
              <EditContact accountId={accountId} person={value} onClose={() => setOpen(null)} />
            )}
            {open === "erase" && (
              <EraseDialog accountId={accountId} person={value} onClose={() => setOpen(null)} />
            )}
            {open === "unsubscribe" && (
              // Only the person can consent again.
              <ConfirmDialog
                isOpen
                title={texts.unsubscribeTitle(nameOf(value))}
                text={texts.bulkTexts["Unsubscribe"]?.(texts.countPeople(format.number(1), 1))}
                action={texts.unsubscribe}
                onClose={() => setOpen(null)}
                onConfirm={unsubscribe}
              />
            )}
            {open === "event" && (
              <SendEvent
                accountId={accountId}
                person={{ id: value.id, name: nameOf(value) }}
                onClose={() => setOpen(null)}
              />
            )}
            {open === "flow" && (
              <StartFlow
                accountId={accountId}
                contactId={value.id}
                name={nameOf(value)}
                onClose={() => setOpen(null)}
              />
            )}
            {open === "links" && (
              <LinksDialog accountId={accountId} contactId={value.id} onClose={() => setOpen(null)} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}
