/** Two quiet notes: up for «come in», one level for everything else. Synthesised, so that there is no file to load. */
export function chime(tone: 'let-in' | 'other'): void {
  const context = new AudioContext();
  const notes = tone === 'let-in' ? [659.25, 987.77] : [440, 440];
  for (const [i, frequency] of notes.entries()) {
    const at = context.currentTime + i * 0.16;
    const oscillator = new OscillatorNode(context, { frequency });
    const gain = new GainNode(context, { gain: 0 });
    gain.gain.linearRampToValueAtTime(0.12, at + 0.02);
    gain.gain.exponentialRampToValueAtTime(0.001, at + 0.32);
    oscillator.connect(gain).connect(context.destination);
    oscillator.start(at);
    oscillator.stop(at + 0.34);
    if (i === notes.length - 1) oscillator.addEventListener('ended', () => void context.close());
  }
}
