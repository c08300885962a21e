#!/usr/bin/env node
import '../dist/assets/cli.js';
