import { Icon, LanguageChoice, useDocument, useMachine, useTexts } from '@svc/ui';
import { Check, Lock } from 'lucide';
import type { FunctionComponent } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { type FlowMachine, firstStep, placeOf, places, type Step, type StepName, type StepOf } from './flow/state.ts';
import { CameraScreen } from './screens/camera-screen.tsx';
import { ConsentScreen } from './screens/consent-screen.tsx';
import { type PageContext, PageProvider, type Surroundings, usePage } from './screens/context.ts';
import { DeclinedScreen, DecliningScreen, DoneScreen, EndedScreen, LoadingScreen } from './screens/end-screens.tsx';
import { CheckScreen, isRetakeFirst, RefusedScreen } from './screens/photo-screens.tsx';
import { texts } from './text/index.ts';

/** Progress of the guest through the steps. */
function Steps({ step }: { readonly step: StepName }) {
  const { say } = usePage();
  const place = placeOf[step];
  if (place === undefined) return null;
  const at = places.indexOf(place);
  return (
    <nav aria-label={say('page.steps')}>
      <ol class="steps">
        {places.map((name, i) => (
          <li
            key={name}
            data-state={i < at || place === 'done' ? 'past' : i === at ? 'now' : 'ahead'}
            aria-current={i === at ? 'step' : undefined}
          >
            <span class="steps-mark" aria-hidden="true">
              {i < at || place === 'done' ? <Icon of={Check} /> : i + 1}
            </span>
            <span class="steps-name">{say(`page.step-${name}`)}</span>
          </li>
        ))}
      </ol>
    </nav>
  );
}

const screens: { readonly [N in StepName]: FunctionComponent<{ readonly step: StepOf<N> }> } = {
  loading: LoadingScreen,
  consent: ConsentScreen,
  camera: CameraScreen,
  refused: RefusedScreen,
  check: CheckScreen,
  sending: CheckScreen,
  declining: DecliningScreen,
  done: DoneScreen,
  declined: DeclinedScreen,
  undoing: LoadingScreen,
  ended: EndedScreen,
};

function CurrentScreen({ step }: { readonly step: Step }) {
  const Shown = screens[step.name] as FunctionComponent<{ readonly step: Step }>;
  return <Shown step={step} />;
}

/** The organiser, the purpose, and the choice of language. */
function Header({ step }: { readonly step: Step }) {
  const { say, session, organiser, language, dispatch } = usePage();
  if (organiser === null) return null;
  const { organiserName, eventName, brand } = organiser;
  const languages = session?.languages ?? [];
  const logo = brand?.logo;
  // It keeps its place and the focus while another language is fetched.
  const chosen = step.name === 'loading' ? step.language : step.name === 'consent' ? language : null;
  return (
    <header class="top">
      {organiser.mode === 'test' ? <p class="preview-badge">{say('page.test-explain')}</p> : null}
      {session?.preview ? <p class="preview-badge">{say('page.preview-explain')}</p> : null}
      {logo ? (
        <img class="logo" src={logo.url} width={logo.width} height={logo.height} alt={organiserName} />
      ) : (
        <span class="monogram" aria-hidden="true">
          {[...organiserName.trim()][0]?.toLocaleUpperCase(language)}
        </span>
      )}
      <div class="organiser">
        {/* Always in words, whatever the logo shows; read to screen readers once. */}
        <p class="organiser-name" aria-hidden={logo ? 'true' : undefined}>
          {organiserName}
        </p>
        <p class="muted">{eventName}</p>
      </div>
      {chosen !== null && languages.length > 1 ? (
        <LanguageChoice
          label={say('page.language')}
          value={chosen}
          languages={languages}
          onChoose={(value) => dispatch({ type: 'language-chosen', language: value })}
        />
      ) : null}
    </header>
  );
}

/** Where the photo goes, and the organiser's privacy text. */
function Footer() {
  const { say, organiser: about } = usePage();
  if (about === null) return null;
  const organiser = about.organiserName;
  return (
    <footer class="foot">
      <Icon of={Lock} />
      <div>
        {about.mode === 'test' ? null : <p>{say('page.private', { organiser })}</p>}
        <p>
          <a href={about.privacyNoticeUrl} target="_blank" rel="noopener noreferrer">
            {say('page.privacy-notice', { organiser })} <span class="svc-visually-hidden">{say('page.new-tab')}</span>
          </a>
        </p>
      </div>
    </footer>
  );
}

export interface AppProps extends Surroundings {
  readonly machine: FlowMachine;
  /** Preferred languages of the organiser or guest, best first; BCP 47. */
  readonly wantedLanguages: readonly string[];
  /** Called when another step is in the page, before it is painted, with the page's title in the guest's language. */
  readonly onStep: (step: StepName, title: string) => void;
  /** Called when two of a step's buttons have changed places, before that is painted. */
  readonly onSwap: () => void;
}

/** The page: header with progress, one step, and a footer that says where the photo goes. */
export function App({ machine, wantedLanguages, onStep, onSwap, ...surroundings }: AppProps) {
  const state = useMachine(machine);
  const wanted = useMemo(() => texts.languageFor(wantedLanguages), [wantedLanguages]);
  const language = state.session === null ? wanted : texts.languageFor([state.session.language]);
  const found = useTexts(texts, language);
  const spoken = found?.asked === language ? found : null;
  const { say, language: shownLanguage } = spoken ?? texts.english;
  // The wording and the page around it appear together, in one language.
  const step: Step = spoken === null && state.session !== null ? { ...firstStep, language } : state.step;
  const title = say('page.title');
  useDocument(shownLanguage, title);
  useLayoutEffect(() => onStep(step.name, title), [step.name, title, onStep]);
  const isSwapped = step.name === 'check' && isRetakeFirst(step.review);
  useLayoutEffect(() => {
    if (isSwapped) onSwap();
  }, [isSwapped, onSwap]);

  const context: PageContext = {
    ...surroundings,
    say,
    language: shownLanguage,
    session: state.session,
    organiser: state.session ?? (step.name === 'ended' ? step.about : null),
    engine: state.engine,
    dispatch: machine.dispatch,
  };
  return (
    <PageProvider value={context}>
      <Header step={step} />
      <Steps step={step.name} />
      <CurrentScreen step={step} />
      <Footer />
    </PageProvider>
  );
}
