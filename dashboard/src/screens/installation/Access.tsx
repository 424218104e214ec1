/**
 * Ways to sign in besides passwords: installation tokens and identity providers.
 *
 * @module
 */
import { useState } from "react"
import { call } from "../../api/call.ts"
import { type ItemOf, useExtra, useList } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { Button } from "../../parts/form/Button.tsx"
import { Entries } from "../../parts/list/Entries.tsx"
import { ConfirmDialog } from "../../parts/overlay/Dialog.tsx"
import { useAction } from "../../parts/overlay/useAction.ts"
import { Entry, Row } from "../../parts/page/Columns.tsx"
import { Section } from "../../parts/page/Page.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { CreateProvider } from "./CreateProvider.tsx"
import { CreateToken } from "./CreateToken.tsx"
import { InstallationPage, Scrolled } from "./InstallationPage.tsx"

const tokensRoute = "GET /tokens"
const providersRoute = "GET /identity-providers"

type Token = ItemOf<typeof tokensRoute>
type Provider = ItemOf<typeof providersRoute>

const Tokens = () => {
  const { installation: texts, keys, tokens } = useTexts()
  const format = useFormat()
  const list = useList(tokensRoute, { params: {} })
  const [open, setOpen] = useState<Token | "new" | null>(null)
  const [now] = useState(() => new Date())
  const { isBusy, run } = useAction([tokensRoute])
  const revoke = ({ id, name }: Token) => {
    setOpen(null)
    void run(
      () => call("DELETE /tokens/:id", { params: { id } }),
      keys.revokedDone(name),
      undefined,
      (token: Token) => (token.id === id ? { ...token, revokedAt: new Date().toISOString() } : token)
    )
  }
  const usedOf = ({ lastUsedAt }: Token): string =>
    lastUsedAt === null ? keys.notUsed : format.relative(new Date(lastUsedAt), now)
  return (
    <Section
      title={texts.tokens}
      text={texts.tokensText}
      actions={
        <Button icon="plus" onClick={() => setOpen("new")}>
          {tokens.add}
        </Button>
      }
    >
      <Entries list={list} empty={texts.noTokens}>
        {(token) => (
          <Entry
            key={token.id}
            text={
              <>
                <span title={token.rights.join(", ")}>
                  {tokens.countRights(format.number(token.rights.length), token.rights.length)}
                </span>
                {` · ${keys.lastUsed}: ${usedOf(token)} · ${keys.expires}: `}
                {token.expiresAt === null ? keys.never : <RelativeTime at={token.expiresAt} />}
              </>
            }
            end={
              token.revokedAt === null ? (
                <Button isSmall tone="quiet" onClick={() => setOpen(token)}>
                  {keys.revoke}
                </Button>
              ) : (
                <Badge>{keys.revoked}</Badge>
              )
            }
          >
            <strong>
              <bdi>{token.name}</bdi>
            </strong>
            <code>{token.display}</code>
          </Entry>
        )}
      </Entries>
      {open === "new" && <CreateToken onClose={() => setOpen(null)} />}
      {open !== null && open !== "new" && (
        <ConfirmDialog
          isOpen
          title={tokens.revokeTitle(open.name)}
          text={tokens.revokeText(usedOf(open))}
          action={keys.revoke}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => revoke(open)}
        />
      )}
    </Section>
  )
}

const Providers = () => {
  const { installation: texts, members } = useTexts()
  const format = useFormat()
  const list = useList(providersRoute, { params: {} })
  const [open, setOpen] = useState<Provider | "new" | null>(null)
  const { isBusy, run } = useAction([providersRoute])
  const users = useExtra(
    "GET /users",
    { query: { limit: 1, count: "exact" } },
    { enabled: open !== null && open !== "new" }
  )?.totalCount
  const remove = ({ id, name }: Provider) => {
    setOpen(null)
    void run(
      () => call("DELETE /identity-providers/:id", { params: { id } }),
      texts.providerRemoved(name),
      undefined,
      (provider: Provider) => (provider.id === id ? null : provider)
    )
  }
  return (
    <Section
      title={texts.providers}
      text={texts.providersText}
      actions={
        <Button icon="plus" onClick={() => setOpen("new")}>
          {texts.addProvider}
        </Button>
      }
    >
      <Entries list={list} empty={texts.noProviders}>
        {(provider) => (
          <Entry
            key={provider.id}
            text={
              <>
                {provider.issuer}
                {provider.emailDomains.length > 0 && ` · ${provider.emailDomains.join(", ")}`}
                <br />
                {texts.redirectUri}: <code>{provider.redirectUri}</code>
              </>
            }
            end={
              <Row>
                <CopyButton value={provider.redirectUri} />
                <Button isSmall tone="quiet" onClick={() => setOpen(provider)}>
                  {members.remove}
                </Button>
              </Row>
            }
          >
            <strong>
              <bdi>{provider.name}</bdi>
            </strong>
            {provider.required && <Badge tone="warning">{texts.required}</Badge>}
          </Entry>
        )}
      </Entries>
      {open === "new" && <CreateProvider onClose={() => setOpen(null)} />}
      {open !== null && open !== "new" && (
        <ConfirmDialog
          isOpen
          title={texts.removeProviderTitle(open.name)}
          text={users === undefined ? null : texts.removeProviderText(format.number(users), users)}
          action={members.remove}
          isBusy={isBusy}
          onClose={() => setOpen(null)}
          onConfirm={() => remove(open)}
        />
      )}
    </Section>
  )
}

/** The screen. */
export const Access = () => (
  <InstallationPage>
    <Scrolled>
      <Tokens />
      <Providers />
    </Scrolled>
  </InstallationPage>
)
