/**
 * The words of the hosted pages in Japanese.
 *
 * @module
 */
import type { PageTexts } from "./PageTexts.ts"

/** The words. */
export const ja: PageTexts = {
  notFound: {
    title: "このリンクは使用できません",
    text: "有効期限が切れているか、一部が欠けている可能性があります。最新のメールにあるリンクをご利用ください。"
  },
  outdated: {
    title: "このリンクは無効になりました",
    text: "現在の登録とは異なるアドレスに送信されたものです。何も確認されていません。最新のメールにあるリンクをご利用ください。"
  },
  unavailable: {
    title: "もう一度お試しください",
    text: "現在、処理できません。何も変更されていません。しばらくしてからもう一度お試しください。"
  },
  addressed: (email) => `${email} 様宛`,
  confirm: {
    title: "ご確認ください",
    text: (name) => `はい、${name}からのメールの受信を希望します。いつでも配信を停止できます。`,
    button: "確認する"
  },
  subscribed: {
    title: "登録が完了しました",
    text: (name) => `ありがとうございます。${name}からのメールをお届けします。`
  },
  nothingToConfirm: {
    title: "確認の必要はありません",
    text: (name) => `${name}からのメールへのこの登録は、すでに確認待ちではありません。`
  },
  unsubscribed: {
    title: "配信を停止しました",
    text: (name) => `${name}からのニュースレターやご案内は今後届きません。`
  },
  unsubscribe: {
    title: "配信停止",
    text: (name) => `${name}からのニュースレターやご案内の受信を停止しますか。`,
    button: "配信を停止する"
  },
  preferences: {
    title: (name) => `${name}からのメール`,
    saved: "選択を保存しました。",
    topics: "どのような内容をご希望ですか。",
    save: "保存する",
    all: "すべてのメール",
    stop: (name) => `${name}からのニュースレターやご案内をすべて停止します。`,
    stopAll: "すべて停止する",
    stopped: (name) =>
      `配信は停止されています。上の選択にかかわらず、${name}からのニュースレターやご案内は届きません。`
  },
  mail: {
    subject: (name) => `ご確認ください：${name}からのメール`,
    text: (name) => `${name}からのメールの受信を希望されることをご確認ください。リンクは30日間有効です。`,
    ignore: "登録された覚えがない場合は、このメールを無視してください。以後メールは届きません。"
  },
  links: { unsubscribe: "配信停止", preferences: "配信設定" },
  webVersion: { changed: "このメールは、送信時には異なる内容を表示していました。" }
}
