/**
 * Shows every component in each of its states, for work on the design. It exists in development alone, so that its texts are in
 * English alone.
 *
 * @module
 */
import { useState } from "react"
import { ApiError } from "../../api/errors.ts"
import { Button, type ButtonTone, IconButton } from "../../parts/form/Button.tsx"
import {
  Checkbox,
  Field,
  Fields,
  Input,
  PasswordInput,
  Select,
  Switch,
  TextArea
} from "../../parts/form/Field.tsx"
import { FilterBar } from "../../parts/list/FilterBar.tsx"
import { type Column, List } from "../../parts/list/List.tsx"
import { ConfirmDialog, Dialog } from "../../parts/overlay/Dialog.tsx"
import { Menu, MenuChoice, MenuItem, MenuLine } from "../../parts/overlay/Menu.tsx"
import { toast } from "../../parts/overlay/toasts.ts"
import { Banner, ErrorBanner } from "../../parts/page/Banner.tsx"
import { iconNames } from "../../lib/icons.ts"
import { Icon } from "../../parts/page/Icon.tsx"
import { Card, EmptyState, Facts, LoadingLines, Page, Section } from "../../parts/page/Page.tsx"
import { Tabs } from "../../parts/page/Tabs.tsx"
import { Badge } from "../../parts/show/Badge.tsx"
import { Chart, Sparkline } from "../../parts/show/Chart.tsx"
import { Code, CodeSample, SecretOnce } from "../../parts/show/Code.tsx"
import { CopyButton } from "../../parts/show/CopyButton.tsx"
import { RelativeTime } from "../../parts/show/RelativeTime.tsx"
import { useTexts } from "../../app/reader.tsx"
import styles from "./Parts.module.css"

const tones: ReadonlyArray<ButtonTone> = ["primary", "plain", "quiet", "danger"]

const values = Array.from({ length: 30 }, (_, at) => Math.round(400 + 300 * Math.sin(at / 3) + at * 9))

interface Row {
  readonly id: number
}

const rows = Array.from({ length: 10_000 }, (_, id): Row => ({ id }))

const columns: ReadonlyArray<Column<Row>> = [
  { key: "name", head: "Name", width: "2fr", sort: "name", cell: ({ id }) => `person-${id}@example.org` },
  {
    key: "state",
    head: "State",
    width: "1fr",
    narrow: "end",
    cell: ({ id }) => (
      <Badge tone={id % 3 === 0 ? "good" : "neutral"}>{id % 3 === 0 ? "Delivered" : "Queued"}</Badge>
    )
  },
  { key: "time", head: "Time", width: "8rem", narrow: "second", isEnd: true, cell: () => "2 hours ago" }
]

const stateOf = (state: string) => ({
  items: state === "full" ? rows : [],
  total: state === "loading" ? null : { count: state === "full" ? rows.length : 0, isExact: true },
  isLoading: state === "loading",
  error:
    state === "error"
      ? new ApiError({ status: 503, code: "common.unavailable", message: "Unavailable", requestId: "3f1a" })
      : null,
  hasMore: false,
  loadMore: () => undefined,
  reload: () => undefined
})

const earlier = new Date(Date.now() - 7_200_000).toISOString()

const states = ["full", "loading", "empty", "filtered", "error"]

/** The page. */
export const Parts = () => {
  const { parts } = useTexts()
  const [tab, setTab] = useState("full")
  const [search, setSearch] = useState<Readonly<Record<string, string | undefined>>>({})
  const [sort, setSort] = useState<string | undefined>()
  const [open, setOpen] = useState<"dialog" | "confirm" | null>(null)
  const [theme, setTheme] = useState("a")
  return (
    <main className={styles["scroll"]}>
      <Page
        title={parts.title}
        badge={<Badge tone="accent">development</Badge>}
        text="Every component, in each state."
      >
        <Section title="Buttons">
          {tones.map((tone) => (
            <div key={tone} className={styles["row"]}>
              <Button tone={tone}>{tone}</Button>
              <Button tone={tone} icon="plus">
                With icon
              </Button>
              <Button tone={tone} isBusy>
                Busy
              </Button>
              <Button tone={tone} disabled>
                Disabled
              </Button>
              <Button tone={tone} isSmall>
                Small
              </Button>
              <IconButton tone={tone} icon="more" label="More" />
            </div>
          ))}
        </Section>
        <Section title="Fields">
          <Fields>
            <Field label="Text" hint="A hint in one sentence.">
              <Input defaultValue="Ada" />
            </Field>
            <Field label="With an error" error="email must be an address.">
              <Input defaultValue="ada@" />
            </Field>
            <Field label="Password">
              <PasswordInput defaultValue="secret" />
            </Field>
            <Field label="Several lines" isOptional>
              <TextArea />
            </Field>
            <Field label="Choice">
              <Select
                options={[
                  { value: "a", label: "One" },
                  { value: "b", label: "Two" }
                ]}
              />
            </Field>
            <Field label="Read only">
              <Input readOnly value="ada@example.org" />
            </Field>
            <Checkbox label="A box" hint="It applies when the form is saved." defaultChecked />
            <Switch label="A switch" hint="It changes at once." defaultChecked />
            <Switch label="Off" />
          </Fields>
        </Section>
        <Section title="Badges, times, icons">
          <div className={styles["row"]}>
            <Badge tone="good">Delivered</Badge>
            <Badge tone="warning">Deferred</Badge>
            <Badge tone="bad">Bounced</Badge>
            <Badge>Queued</Badge>
            <Badge tone="accent">New</Badge>
            <RelativeTime at={earlier} />
            <RelativeTime at={earlier} form="moment" />
            <CopyButton value="copied" />
            <CopyButton value="copied" label="Copy the key" />
          </div>
          <div className={styles["row"]}>
            {iconNames.map((name) => (
              <span key={name} title={name}>
                <Icon name={name} />
              </span>
            ))}
          </div>
        </Section>
        <Section title="Banners">
          <Banner>Something to know.</Banner>
          <Banner tone="good">Something that worked.</Banner>
          <Banner tone="warning" action={<Button isSmall>Change</Button>}>
            Something to look at.
          </Banner>
          <ErrorBanner
            error={new ApiError({ status: 503, code: "common.unavailable", message: "", requestId: "3f1a" })}
            onRetry={() => undefined}
          />
          <ErrorBanner
            error={
              new ApiError({
                status: 409,
                code: "users.last_owner",
                message: "A company must have an active Owner."
              })
            }
          />
        </Section>
        <Section title="Overlays">
          <div className={styles["row"]}>
            <Button onClick={() => setOpen("dialog")}>Dialog</Button>
            <Button tone="danger" onClick={() => setOpen("confirm")}>
              Confirmation
            </Button>
            <Menu trigger={<Button iconAfter="down">Menu</Button>}>
              <MenuItem icon="copy" onSelect={() => undefined}>
                Copy
              </MenuItem>
              <MenuItem icon="trash" isDanger onSelect={() => undefined}>
                Delete
              </MenuItem>
              <MenuLine />
              <MenuChoice
                label="Choice"
                value={theme}
                onChange={setTheme}
                options={[
                  { value: "a", label: "One" },
                  { value: "b", label: "Two" }
                ]}
              />
            </Menu>
            <Button onClick={() => toast("Saved")}>Toast</Button>
            <Button onClick={() => toast("Key revoked", { undo: () => toast("Key restored") })}>
              Toast with Undo
            </Button>
            <Button onClick={() => toast("The key could not be revoked.", { tone: "bad" })}>Bad toast</Button>
          </div>
        </Section>
        <Section title="Charts">
          <Sparkline values={values} label="Emails a day" />
          <Chart
            title="Emails by day"
            head="Day"
            labels={values.map((_, at) => `Nov ${at + 1}`)}
            series={[
              { name: "Delivered", values },
              { name: "Bounced", tone: "bad", values: values.map((value) => Math.round(value / 9)) }
            ]}
          />
        </Section>
        <Section title="Code">
          <Code>{`curl -sS https://mail.example.com/api/v1/sending/emails -H 'Authorization: Bearer svc_test_...'`}</Code>
          <CodeSample
            label="Samples"
            samples={[
              { name: "curl", code: "curl ..." },
              { name: "Node", code: "await svc.sending.send({})" }
            ]}
          />
          <SecretOnce label="Key" secret="svc_test_3xampl3" note="The key is shown this once." />
        </Section>
        <Section title="Content">
          <Card>
            <Facts
              facts={[
                ["From", "ada@example.org"],
                ["Template", "–"]
              ]}
            />
          </Card>
          <Card>
            <LoadingLines />
          </Card>
          <EmptyState title="No emails yet" action={<Button tone="primary">Send the first</Button>}>
            They appear here as soon as one is submitted.
          </EmptyState>
        </Section>
        <Section title="List">
          <Tabs
            label="States"
            value={tab}
            onChange={setTab}
            tabs={states.map((value) => ({ value, label: value }))}
          />
          <div className={styles["list"]}>
            <FilterBar
              search={search}
              onChange={setSearch}
              placeholder="Search"
              filters={[
                {
                  key: "state",
                  label: "State",
                  options: [
                    { value: "a", label: "Delivered" },
                    { value: "b", label: "Queued" }
                  ]
                }
              ]}
            />
            <List
              label="People"
              list={stateOf(tab)}
              columns={columns}
              keyOf={({ id }) => String(id)}
              linkOf={() => ({ to: "/_parts" })}
              sort={sort}
              onSort={setSort}
              isFiltered={tab === "filtered"}
              onReset={() => setTab("full")}
              empty={<EmptyState title="Nothing yet">It appears here.</EmptyState>}
            />
          </div>
        </Section>
      </Page>
      <Dialog
        isOpen={open === "dialog"}
        onClose={() => setOpen(null)}
        title="A dialog"
        text="With a sentence under its title."
        actions={
          <>
            <Button onClick={() => setOpen(null)}>Cancel</Button>
            <Button tone="primary">Save</Button>
          </>
        }
      >
        <Field label="Name">
          <Input />
        </Field>
      </Dialog>
      <ConfirmDialog
        isOpen={open === "confirm"}
        onClose={() => setOpen(null)}
        onConfirm={() => setOpen(null)}
        title="Erase a person"
        text="Erases 1 person: 14 emails, 2 runs, 3 orders; they can sign up again."
        action="Erase"
        name="ada@example.org"
      />
    </main>
  )
}
