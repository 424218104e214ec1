/**
 * A message displayed as in a mail client: its HTML in a frame that runs no scripts and loads no images until asked, its text,
 * header fields, source, links and attachments.
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { readText, urlOf, type ValueOf } from "../../api/call.ts"
import type { ApiError } from "../../api/errors.ts"
import { useApi } from "../../api/queries.ts"
import { useFormat, useTexts } from "../../app/reader.tsx"
import { classes } from "../../lib/classes.ts"
import { headersOf, linksOf, mayHaveImages } from "../../lib/mail.ts"
import { numbered } from "../../lib/numbered.ts"
import { Button, ButtonAnchor } from "../../parts/form/Button.tsx"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { Entry, Nothing, Rows } from "../../parts/page/Columns.tsx"
import { EmptyState, LoadingLines } from "../../parts/page/Empty.tsx"
import { Card, Section } from "../../parts/page/Page.tsx"
import { Tabs } from "../../parts/page/Tabs.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Code } from "../../parts/show/Code.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"
import styles from "./Message.module.css"

type Content = ValueOf<"GET /accounts/:accountId/emails/:id/content">

const tabs = ["html", "text", "headers", "raw", "links", "attachments"] as const

/** The most characters of a source that are displayed. */
const shownSource = 200_000

/** The URL of the raw message, for reading and downloading. */
const rawUrl = (accountId: string, emailId: string): string =>
  urlOf("/accounts/:accountId/emails/:id/raw", { accountId, id: emailId })

const Frame = ({ content, frameUrl }: { readonly content: Content; readonly frameUrl: string }) => {
  const { mail } = useTexts()
  const texts = mail.message
  const [withImages, setImages] = useState(false)
  const [isPhone, setPhone] = useState(false)
  return (
    <div className={styles["preview"]}>
      <div className={styles["bar"]}>
        {content.html !== null && mayHaveImages(content.html) && (
          <Button
            isSmall
            icon={withImages ? "check" : "external"}
            disabled={withImages}
            onClick={() => setImages(true)}
          >
            {withImages ? texts.imagesShown : texts.images}
          </Button>
        )}
        <Button isSmall className={styles["width"]} aria-pressed={isPhone} onClick={() => setPhone(!isPhone)}>
          {texts.phone}
        </Button>
      </div>
      {/* Links open in a new tab. The frame is sandboxed: no scripts run in it, and its origin is opaque. */}
      <iframe
        key={String(withImages)}
        title={texts.title}
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="no-referrer"
        className={classes(styles["frame"], isPhone && styles["phone"])}
        src={withImages ? `${frameUrl}?images=true` : frameUrl}
      />
    </div>
  )
}

/** The raw message, rendered by `children`. It is read when it is first shown. */
const Raw = ({
  accountId,
  children,
  emailId
}: {
  readonly accountId: string
  readonly emailId: string
  readonly children: (raw: string) => ReactNode
}) => {
  const url = rawUrl(accountId, emailId)
  const { data, error, refetch } = useQuery<string, ApiError>({
    queryKey: ["raw message", url],
    queryFn: ({ signal }) => readText(url, { signal })
  })
  if (error !== null) return <ErrorBanner error={error} onRetry={() => void refetch()} />
  return data === undefined ? <LoadingLines /> : children(data)
}

const Source = ({ raw }: { readonly raw: string }) => {
  const { mail } = useTexts()
  const format = useFormat()
  return (
    <>
      {raw.length > shownSource && <Banner>{mail.message.cut(format.bytes(raw.length))}</Banner>}
      <div className={styles["source"]}>
        <Code label={mail.message.tabs.raw}>{raw.slice(0, shownSource)}</Code>
      </div>
    </>
  )
}

const Links = ({ html }: { readonly html: string | null }) => {
  const { mail } = useTexts()
  const links = html === null ? [] : linksOf(html)
  return (
    <Card isFlush>
      {links.length === 0 && <Nothing>{mail.message.noLinks}</Nothing>}
      <Rows>
        {numbered(links).map(({ item: { text, url }, place }) => (
          <Entry key={place} text={<bdi>{url}</bdi>} end={<CopyButton value={url} />}>
            <bdi>{text === "" ? "–" : text}</bdi>
          </Entry>
        ))}
      </Rows>
    </Card>
  )
}

const Attachments = ({ content }: { readonly content: Content }) => {
  const { mail } = useTexts()
  const format = useFormat()
  return (
    <Card isFlush>
      {content.attachments.length === 0 && <Nothing>{mail.message.noAttachments}</Nothing>}
      <Rows>
        {numbered(content.attachments).map(({ item: { bytes, contentId, contentType, filename }, place }) => (
          <Entry key={place} text={`${contentType} · ${format.bytes(bytes)}`}>
            <bdi>{filename}</bdi>
            {contentId !== null && <Badge>{mail.message.inline}</Badge>}
          </Entry>
        ))}
      </Rows>
    </Card>
  )
}

/** A message. The URL determines which part of it is shown. */
export const MessageView = ({
  accountId,
  emailId,
  frameUrl,
  onTab,
  tab
}: {
  readonly accountId: string
  readonly emailId: string
  /** The document for the frame; by default that of the email. */
  readonly frameUrl?: string
  readonly tab: string | undefined
  readonly onTab: (tab: string) => void
}) => {
  const { mail } = useTexts()
  const texts = mail.message
  const { data, error, refetch } = useApi("GET /accounts/:accountId/emails/:id/content", {
    params: { accountId, id: emailId }
  })
  if (error?.code === "sending.content_erased")
    return (
      <EmptyState icon="clock" title={mail.erased}>
        {mail.erasedText}
      </EmptyState>
    )
  const shown = tabs.find((one) => one === tab) ?? "html"
  return (
    <Section
      title={texts.title}
      actions={
        <ButtonAnchor isSmall href={rawUrl(accountId, emailId)} download={`${emailId}.eml`}>
          {texts.download}
        </ButtonAnchor>
      }
    >
      {error !== null && <ErrorBanner error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <LoadingLines />
      ) : (
        <>
          <Tabs
            label={texts.title}
            value={shown}
            onChange={onTab}
            tabs={tabs.map((value) => ({ value, label: texts.tabs[value] }))}
          />
          {data.isAsSent === false && <Banner>{texts.changed}</Banner>}
          {shown === "html" && <Frame content={data} frameUrl={frameUrl ?? data.frameUrl} />}
          {shown === "text" &&
            (data.text === null ? (
              <Nothing>{texts.noText}</Nothing>
            ) : (
              <pre className={styles["text"]} dir="auto">
                {data.text.slice(0, shownSource)}
              </pre>
            ))}
          {shown === "headers" && (
            <Raw accountId={accountId} emailId={emailId}>
              {(raw) => (
                <Card isFlush>
                  <Rows>
                    {numbered(headersOf(raw)).map(({ item: { name, value }, place }) => (
                      <Entry key={place} text={<bdi>{value}</bdi>}>
                        {name}
                      </Entry>
                    ))}
                  </Rows>
                </Card>
              )}
            </Raw>
          )}
          {shown === "raw" && (
            <Raw accountId={accountId} emailId={emailId}>
              {(raw) => <Source raw={raw} />}
            </Raw>
          )}
          {shown === "links" && <Links html={data.html} />}
          {shown === "attachments" && <Attachments content={data} />}
        </>
      )}
    </Section>
  )
}
