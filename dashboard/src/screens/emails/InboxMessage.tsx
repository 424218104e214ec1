/**
 * One message of the sandbox inbox, displayed as in a mail client, with the events that can be simulated for it.
 *
 * @module
 */
import { getRouteApi } from "@tanstack/react-router"
import { lazyPart } from "../../app/newVersion.ts"
import { call, urlOf } from "../../api/call.ts"
import { useApi } from "../../api/queries.ts"
import { useTexts } from "../../app/reader.tsx"
import { useAccount } from "../../app/session.ts"
import { Button, ButtonLink } from "../../parts/form/Button.tsx"
import { MenuButton } from "../../parts/overlay/MenuButton.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Loaded } from "../../parts/page/Loaded.tsx"
import { Card, Facts, Page } from "../../parts/page/Page.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import styles from "./Message.module.css"
import { MessageView } from "./MessageView.tsx"

const route = getRouteApi("/shell/a/$accountId/emails/inbox/$messageId")

const SimulateMenu = lazyPart(() => import("./SimulateMenu.tsx"), "SimulateMenu")

/** The screen. */
export const InboxMessage = () => {
  const { emails, inbox: texts, mail } = useTexts()
  const { can, id: accountId } = useAccount()
  const { messageId } = route.useParams()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useApi("GET /accounts/:accountId/inbox/:id", { params: { accountId, id: messageId } })
  const { isBusy, run } = useAction([
    "GET /accounts/:accountId/emails/:id",
    "GET /accounts/:accountId/emails"
  ])
  const simulate = (kind: string) =>
    void run(
      () =>
        call("POST /accounts/:accountId/inbox/:id/simulate", {
          params: { accountId, id: messageId },
          body: { kind }
        }),
      texts.simulated(texts.simulations[kind] ?? kind)
    )
  const message = query.data
  const title =
    message === undefined ? emails.email : message.subject === "" ? emails.noSubject : message.subject
  const trigger = (open?: () => void) => (
    <Button iconAfter="down" isBusy={isBusy} aria-haspopup="menu" onClick={open}>
      {texts.simulate}
    </Button>
  )
  return (
    <Page
      title={title}
      back={{ link: { to: "/a/$accountId/emails/inbox", params: { accountId } }, label: mail.tabs.inbox }}
      actions={
        message !== undefined && (
          <>
            {can("emails:send") && (
              <MenuButton
                button={trigger}
                menu={<SimulateMenu trigger={trigger()} names={texts.simulations} onSelect={simulate} />}
              />
            )}
            <ButtonLink
              to="/a/$accountId/emails/$emailId"
              params={{ accountId, emailId: message.submissionId }}
            >
              {texts.showEmail}
            </ButtonLink>
          </>
        )
      }
    >
      <Loaded thing="Message" query={query}>
        {({ from, receivedAt, submissionId, to }) => (
          <>
            <Card>
              <div className={styles["envelope"]}>
                <Facts
                  facts={[
                    [texts.from, from.name === null ? from.email : `${from.name} <${from.email}>`],
                    [texts.to, to],
                    [texts.received, <RelativeTime key="at" at={receivedAt} form="moment" />]
                  ]}
                />
              </div>
            </Card>
            <MessageView
              accountId={accountId}
              emailId={submissionId}
              frameUrl={urlOf("/accounts/:accountId/inbox/:id/frame", { accountId, id: messageId })}
              tab={tab}
              onTab={(next) => void navigate({ search: { tab: next }, replace: true })}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}
