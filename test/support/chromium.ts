// A page in a real browser, driven over Chromium's own pipe (Chrome DevTools Protocol): keys and
// pointer are those of a person, not events that a script made up.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

export const HAS_CHROMIUM = spawnSync("chromium", ["--version"], { stdio: "ignore" }).status === 0;

export interface PageOptions {
  width: number;
  scripts?: boolean;
  scheme?: "light" | "dark";
  /** Behind the address: `#axis=log`. */
  fragment?: string;
}

export class Browser implements AsyncDisposable {
  private readonly folder = mkdtempSync(join(tmpdir(), "tailgate-chromium-"));
  private readonly process: ChildProcess;
  private readonly pending = new Map<number, PromiseWithResolvers<unknown>>();
  private readonly waiting = new Map<string, () => void>();
  private unread = "";
  private calls = 0;

  constructor() {
    this.process = spawn(
      "chromium",
      [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--remote-debugging-pipe",
        `--user-data-dir=${join(this.folder, "profile")}`,
      ],
      {
        stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
        // Its helpers outlive it and go on writing: all are ended together.
        detached: true,
        // It leaves folders of its own there.
        env: { ...process.env, TMPDIR: this.folder },
      },
    );
    const answers = this.process.stdio[4] as Readable;
    answers.setEncoding("utf8").on("data", (text: string) => this.receive(text));
  }

  /** Loaded when it resolves. */
  async open(html: string, options: PageOptions): Promise<Page> {
    const { width, scripts = true, scheme = "light", fragment = "" } = options;
    const path = join(this.folder, "page.html");
    writeFileSync(path, html);
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page((method, params) => this.call(method, params, sessionId as string));
    const call = (method: string, params = {}) => this.call(method, params, sessionId as string);
    await call("Page.enable");
    await call("Emulation.setScriptExecutionDisabled", { value: !scripts });
    await call("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: scheme }],
    });
    await call("Emulation.setDeviceMetricsOverride", {
      width,
      height: 900,
      deviceScaleFactor: 1,
      mobile: false,
    });
    const loaded = new Promise<void>((resolve) => {
      this.waiting.set(`Page.loadEventFired ${sessionId}`, resolve);
    });
    await call("Page.navigate", { url: `file://${path}${fragment}` });
    await loaded;
    return page;
  }

  private call(
    method: string,
    params: object,
    sessionId?: string,
  ): Promise<Record<string, unknown>> {
    const id = ++this.calls;
    const answer = Promise.withResolvers<unknown>();
    this.pending.set(id, answer);
    const requests = this.process.stdio[3] as Writable;
    requests.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return answer.promise as Promise<Record<string, unknown>>;
  }

  private receive(text: string): void {
    const messages = (this.unread + text).split("\0");
    this.unread = messages.pop() ?? "";
    for (const message of messages) {
      const { id, method, sessionId, result, error } = JSON.parse(message);
      const answer = this.pending.get(id);
      if (error !== undefined) answer?.reject(new Error(error.message));
      else answer?.resolve(result);
      this.pending.delete(id);
      this.waiting.get(`${method} ${sessionId}`)?.();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.process, "exit");
    process.kill(-(this.process.pid as number), "SIGKILL");
    await gone;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

type Call = (method: string, params: object) => Promise<Record<string, unknown>>;

export class Page {
  private readonly call: Call;

  constructor(call: Call) {
    this.call = call;
  }

  /** What an expression comes to in the page; a promise is waited for. */
  async evaluate<T>(expression: string): Promise<T> {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", params);
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: T }).value;
  }

  /** `ArrowLeft`, `Tab`, `+`. */
  async press(key: string): Promise<void> {
    const isText = key.length === 1;
    const params = {
      key,
      windowsVirtualKeyCode: KEY_CODES[key] ?? key.charCodeAt(0),
      ...(isText ? { text: key } : {}),
    };
    await this.call("Input.dispatchKeyEvent", {
      type: isText ? "keyDown" : "rawKeyDown",
      ...params,
    });
    await this.call("Input.dispatchKeyEvent", { type: "keyUp", ...params });
  }

  /** From one place to another, in pixels of the window; a click where they are the same. */
  async drag(from: { x: number; y: number }, to = from): Promise<void> {
    const move = (type: string, at: typeof from, buttons: number) =>
      this.call("Input.dispatchMouseEvent", {
        type,
        ...at,
        button: "left",
        buttons,
        clickCount: 1,
      });
    await move("mousePressed", from, 1);
    if (to !== from) await move("mouseMoved", to, 1);
    await move("mouseReleased", to, 0);
  }

  /** Of the first element of a selector, down to a height in pixels. */
  async screenshot(selector: string, most: number): Promise<Buffer> {
    const { x, y, width, height } = await this.evaluate<DOMRect>(
      `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().toJSON()`,
    );
    const { data } = await this.call("Page.captureScreenshot", {
      format: "webp",
      quality: 90,
      captureBeyondViewport: true,
      clip: { x, y, width, height: Math.min(height, most), scale: 1 },
    });
    return Buffer.from(data as string, "base64");
  }
}

const KEY_CODES: Readonly<Record<string, number>> = {
  Tab: 9,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowRight: 39,
};
